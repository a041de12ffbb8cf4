import { describe, expect, it } from 'vitest';
import type { AdapterModule } from '../../../src/adapter.ts';
import discord from '../../../adapters/discord/index.ts';
import slack from '../../../adapters/slack/index.ts';
import type { Message } from '../../../src/model/message.ts';
import type { Channel } from '../../../src/model/place.ts';
import { explainLink } from '../../../src/ops/why.ts';
import { createMirrorStore } from '../../../src/store/channels/mirrors.ts';
import { claimantOf } from '../../../src/store/inbox/claimants.ts';
import { WATCH } from '../../../src/store/inbox/row.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { forgetCopies } from '../../fakes/forget-copies.ts';
import { SPACE } from '../../fakes/channel-feed.ts';
import { realTexts as texts } from '../../fakes/texts.ts';
import {
  ENGLISH,
  GENERAL,
  JAPANESE,
  linked,
  SPANISH,
  untilGivenUp,
  withScene,
} from '../autotranslate/support.ts';

const scene = withScene();

/** Links of the platform in memory, which do not name their space. */
const modules: readonly Pick<AdapterModule, 'readLink'>[] = [
  discord,
  {
    readLink: ({ hostname, pathname, searchParams }) => {
      const [, id = '', message = ''] = pathname.split('/');
      const channel: Channel = { space: { platform: SPACE.platform, id: '' }, id };
      return hostname === 'test.example'
        ? {
            ref: { channel, id: message },
            position: '',
            writtenMs: Number(searchParams.get('written') ?? Date.now()),
          }
        : undefined;
    },
  },
];

const explained = async (link: string): Promise<string> => {
  const lines = await explainLink(link, {
    store: scene.store,
    texts,
    modules,
    inboxDays: 7,
    now: Date.now,
  });
  return lines.join('\n');
};

const told = async ({ ref }: Pick<Message, 'ref'>, query = ''): Promise<string> =>
  explained(`https://test.example/${ref.channel.id}/${ref.id}${query}`);

describe('what the doctor tells of the message of a link', () => {
  it('is its state, with the reason as a sentence, tries, times, partition and process', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    scene.poisoned.add('hello');
    const message = await scene.say(GENERAL, 'hello');
    await untilGivenUp(scene);
    const text = await told(message);
    expect(text).toContain('auto-translate: dead');
    expect(text).toContain(texts.in('en')('reasons.unavailable'));
    expect(text).toMatch(/since: +\d{4}-\d\d-\d\dT/);
    expect(text).toMatch(/tries: +\d+\n/);
    expect(text).toContain(`partition:  ${SPACE.platform}:`);
    expect(text).toMatch(/process: +\S+, which works\n/);
    expect(text).toContain('Try again in /status');
  });

  it('names no word of the message', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    const message = await scene.say(GENERAL, 'a secret of mine');
    await scene.idle();
    expect(await told(message)).not.toContain('secret');
  });

  it('has a part for each flag', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    const message = await scene.say(GENERAL, 'hello');
    await scene.listener.reactionChanged(message.ref, '🇯🇵', true);
    await scene.idle();
    expect(await told(message)).toMatch(/flag: ja: posted[^]*auto-translate: posted/);
  });

  it('is that of the source where the link leads to a copy', async () => {
    await scene.watches.set(linked());
    const message = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const text = await told(scene.feed.messages(SPANISH)[0]!);
    expect(text).toContain(`Message ${message.ref.id} in channel ${ENGLISH.id}`);
    expect(text).toContain('is a copy');
  });

  it('names the linked channels where it is not, with the reason or what to look at', async () => {
    await scene.watches.set(linked());
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    for (const { id } of [SPANISH, JAPANESE]) await forgetCopies(scene.store, id);
    const { keepOut } = createMirrorStore(scene.store, Date.now);
    const key = { ref, purpose: WATCH };
    await scene.store.write((db) => keepOut(db, key, JAPANESE, 'blocked'));
    const text = await told({ ref });
    expect(text).toMatch(
      new RegExp(`not in: +${SPACE.platform} ${SPANISH.id}; .*deleted.*npm run doctor`),
    );
    expect(text).toMatch(
      new RegExp(`not in: +${SPACE.platform} ${JAPANESE.id}: .* \\(why\\.skipped\\.blocked\\)`),
    );
  });

  it('says why nothing is stored, from the time in the link and the settings', async () => {
    const message = { ref: { channel: GENERAL, id: 'unreported' } };
    expect(await told(message)).toContain('why.unknown.not-set');
    await scene.watches.set([watchOf(GENERAL)]);
    expect(await told(message, '?written=5')).toContain('why.unknown.before');
    const inAnHour = Date.now() + 3_600_000;
    expect(await told(message, `?written=${inAnHour}`)).toContain('why.unknown.unreported');
    await scene.spaces.change(SPACE, { quietChannels: [GENERAL.id] });
    expect(await told(message)).toContain('why.unknown.quiet-channel');
  });

  it.each(['', 'hello', 'https://example.com/channels/1/2/3', 'https://discord.com/channels/1'])(
    'is how to copy a link, for %j',
    async (link) => {
      await expect(explained(link)).rejects.toMatchObject({
        code: 'bad-input',
        message: expect.stringContaining('npm run doctor -- why LINK') as string,
      });
    },
  );
});

describe('the process that claimed a row', () => {
  it('is none before a claim, the one that works on the database, or one that has ended', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    const message = await scene.say(GENERAL, 'hello');
    await scene.idle();
    const [part] = (await scene.inbox.explain(message))[0]!.parts;
    const stored = part!.stored!;
    expect(await claimantOf(scene.store, stored)).toEqual({ owner: expect.any(String) as string });
    expect(await claimantOf(scene.store, { ...stored, epoch: 0 })).toBe('none');
    await scene.restart();
    expect(await claimantOf(scene.store, stored)).toBe('ended');
  });
});

describe('the link of a message', () => {
  it.each([
    [
      'https://discord.com/channels/100000000000000001/200000000000000002/300000000000000003',
      '100000000000000001',
    ],
    [
      'https://ptb.discord.com/channels/@me/200000000000000002/300000000000000003',
      'dm:200000000000000002',
    ],
  ])('on Discord names server, channel and time: %s', (link, spaceId) => {
    expect(discord.readLink?.(new URL(link))).toMatchObject({
      ref: {
        channel: { space: { platform: 'discord', id: spaceId }, id: '200000000000000002' },
        id: '300000000000000003',
      },
      writtenMs: expect.any(Number) as number,
    });
  });

  it('on Slack names the channel and the time, also of a reply in a thread', () => {
    const link =
      'https://acme.slack.com/archives/C0123ABCD/p1700000000123456?thread_ts=1690000000.000100&cid=C0123ABCD';
    expect(slack.readLink?.(new URL(link))).toMatchObject({
      ref: {
        channel: { space: { platform: 'slack', id: '' }, id: 'C0123ABCD' },
        id: '1700000000.123456',
      },
      writtenMs: 1_700_000_000_123,
    });
    expect(slack.readLink?.(new URL('https://acme.slack.com/archives/C0123ABCD'))).toBeUndefined();
    expect(
      slack.readLink?.(new URL('https://notslack.com/archives/C0123ABCD/p1700000000123456')),
    ).toBeUndefined();
  });
});
