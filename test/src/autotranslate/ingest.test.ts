import { beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import { createPrivacy } from '../../../src/store/privacy/person-data.ts';
import { createSpaceSettings } from '../../../src/store/settings.ts';
import { backfillPartition, watchPartition } from '../../../src/store/inbox/row.ts';
import { openWatchStore } from '../../../src/store/channels/watches.ts';
import { createIngest, type Ingest, createInboxWriter } from '../../../src/autotranslate/ingest.ts';
import { NO_TRACING } from '../../../src/telemetry/tracing.ts';
import { createFakeFeed } from '../../fakes/channel-feed.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { HERE, messageOf, THERE, withInbox } from '../store/inbox/support.ts';

const inbox = withInbox();
let take: Ingest['take'];
let followed: string[];
let nowMs: number;

beforeEach(async () => {
  followed = [];
  nowMs = 0;
  const { store, ours, mirrors } = inbox;
  const watches = await openWatchStore(store, () => 0);
  await watches.set([watchOf(HERE)]);
  const { feed, mirrors: written } = createFakeFeed();
  const platform = { feed: { ...feed, positionAt: () => '' }, mirrors: written };
  ({ take } = createIngest({
    inboxWriter: createInboxWriter({
      inbox: ours,
      scheduler: { wake: () => undefined, interrupt: () => undefined },
      slots: { serve: () => undefined, tenureOf: () => undefined, tell: () => undefined },
      watches,
      context: { forget: () => undefined },
      platforms: { of: () => platform },
      measured: { settled: () => undefined, attached: () => undefined },
      tracing: NO_TRACING,
      log: silentLog,
      now: Date.now,
    }),
    now: () => nowMs,
    nowMs: () => performance.now(),
    refusals: { note: () => undefined, drop: () => undefined },
    inbox: ours,
    stored: mirrors,
    openSources: { isOpen: async () => true },
    cursors: {
      advance: (_, position) => void followed.push(position),
    },
    watches,
    spaces: createSpaceSettings(store),
    privacy: createPrivacy(store),
    optedOutOf: async () => [],
    pressers: {
      note: () => undefined,
      flagged: () => undefined,
      flagsOf: () => [],
      tell: async () => undefined,
    },
    platforms: {
      add: () => undefined,
      post: async () => undefined,
      send: async () => undefined,
      edit: async () => undefined,
      whisper: async () => undefined,
      find: () => platform,
      of: () => platform,
      all: () => [],
    },
    rowsSinceMs: () => -Infinity,
  }));
});

const ours = (message: Message): Message => ({
  ...message,
  author: { ...message.author, kind: 'ourselves' },
});

it('what is reported long after it was written delays nothing that is reported in time', async () => {
  const [late, live] = [messageOf(1), messageOf(2)];
  await take(live, 'report');
  nowMs = Number(late.position) + 30_001;
  await take(late, 'report');
  const partitions = await inbox.store
    .selectFrom('inbox')
    .select(['message_id', 'partition_key'])
    .orderBy('message_id')
    .execute();
  const own = watchPartition(watchOf(HERE));
  expect(partitions.map(({ partition_key: partition }) => partition)).toEqual([
    backfillPartition(own),
    own,
  ]);
});

describe('a channel that is followed', () => {
  it('is followed up to a message only where everything before it is known', async () => {
    await take(messageOf(1), 'whole');
    await take(messageOf(2), 'report');
    expect(followed).toEqual([messageOf(1).position]);
  });

  it('is followed past what is left alone and what we said ourselves', async () => {
    await take(messageOf(1, '!play a song'), 'whole');
    await take(ours(messageOf(2)), 'whole');
    expect(followed).toEqual([messageOf(1).position, messageOf(2).position]);
    expect(await inbox.ours.purposes(messageOf(2).ref)).toEqual([]);
  });

  it('is none that nobody watches', async () => {
    await take(messageOf(1, 'hello', THERE), 'whole');
    expect(followed).toEqual([]);
    expect(await inbox.claim()).toEqual([]);
  });
});
