import { describe, expect, it } from 'vitest';
import { WATCH } from '../../../../src/store/inbox/row.ts';
import { createPrivacy } from '../../../../src/store/privacy/person-data.ts';
import { createGlossary } from '../../../../src/translation/glossary.ts';
import { messageOf, withInbox } from '../inbox/support.ts';

const channelOn = (platform: string) => ({ space: { platform, id: 's' }, id: `on-${platform}` });

describe('what is kept of somebody', () => {
  const inbox = withInbox();

  it('is told without what is kept of others whom another platform gave the same id', async () => {
    for (const platform of ['test', 'other']) {
      const channel = channelOn(platform);
      const { ref } = messageOf(1, 'hello', channel);
      const kept = { target: { channel }, posted: { channel, ids: [`copy-${platform}`] as const } };
      await inbox.accept(messageOf(1, `hello ${platform}`, channel));
      await inbox.store.write((db) =>
        inbox.mirrors.put(db, { ref, purpose: WATCH }, { ...kept, contentHash: 'x' }, true),
      );
    }
    const file = await createPrivacy(inbox.store).export({ platform: 'test', id: 'ada' });
    const told = Buffer.from(file).toString();
    expect(told).toContain('copy-test');
    expect(told).toContain('hello test');
    expect(told).not.toContain('other');
  });

  it('tells what they proposed for a glossary, which goes with them', async () => {
    const space = { platform: 'test', id: 's' };
    const ada = { platform: 'test', id: 'ada' };
    const glossary = createGlossary(inbox.store, { find: () => undefined });
    await glossary.propose({ space, id: 'talk' }, ada, {
      term: 'fox',
      translation: '狐',
      language: 'ja',
    });
    const privacy = createPrivacy(inbox.store);
    const told = JSON.parse(Buffer.from(await privacy.export(ada)).toString()) as object;
    expect(told).toMatchObject({
      proposedTerms: [{ space: 's', channel: 'talk', term: 'fox', translation: '狐' }],
    });
    await privacy.forget(ada);
    expect(await glossary.proposals(space)).toEqual([]);
  });
});
