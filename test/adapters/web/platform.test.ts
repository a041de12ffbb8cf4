import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServerEvent } from '../../../adapters/web/protocol.ts';
import { pageChannel } from '../../../adapters/web/platform.ts';
import { createWebPresence } from '../../../adapters/web/presence.ts';
import type { Member } from '../../../src/model/place.ts';
import { PLATFORM_CONTRACT, type PlatformSubject } from '../../contracts/platform.ts';
import { createFakeCore } from '../../fakes/core.ts';
import { rich } from '../../fakes/rich-text.ts';

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? '?')
    .trim();

const setUp = async (): Promise<PlatformSubject> => {
  const presence = createWebPresence(createFakeCore(), { maxUploadBytes: 1_000 });
  onTestFinished(() => presence[Symbol.asyncDispose]());
  const asker = await presence.members.know('secret of the asker', 'en');
  const other = await presence.members.know('secret of the other', 'en');

  const helloTo = async (member: Member) => {
    const reader = presence.events(presence.members.get(member.id)!, '').getReader();
    for (;;) {
      const { value } = await reader.read();
      const data = /^data: (.*)$/m.exec(new TextDecoder().decode(value))?.[1];
      if (data === undefined) continue;
      await reader.cancel();
      const event = JSON.parse(data) as ServerEvent;
      return event.type === 'hello' ? event.snapshot.messages : [];
    }
  };

  return {
    platform: presence.platform,
    channel: pageChannel('playground'),
    asker,
    other,
    seenBy: async (member) =>
      (await helloTo(member)).map(({ id, html, tone, files, controls = [] }) => ({
        id,
        text: textOf(html),
        tone,
        controls: controls.map(({ label }) => label),
        files: files.map(({ name, sizeBytes }) => ({ name, bytes: sizeBytes })),
      })),
  };
};

describe('the page as a platform', () => {
  test.each(Object.entries(PLATFORM_CONTRACT))('%s', async (_, check) => {
    await check(await setUp());
  });

  test('keeps the bytes of a file once, however often it is shown', async () => {
    const { platform, channel, asker, seenBy } = await setUp();
    const files = [{ name: 'a.txt', mediaType: 'text/plain', bytes: new Uint8Array(3) }];
    const posted = await platform.post(channel, { text: rich('one'), files });
    await platform.edit(posted, { text: rich('two'), files });
    expect(await seenBy(asker)).toMatchObject([{ text: 'two', files: [{ bytes: 3 }] }]);
  });
});
