import { expect, test } from 'vitest';
import { createPrepare, type PrepareDeps } from '../../../../src/autotranslate/prepare/prepare.ts';
import { createLateTargets } from '../../../../src/autotranslate/mirror/late-targets.ts';
import { createPlaces } from '../../../../src/autotranslate/prepare/prepared.ts';
import type { Channel } from '../../../../src/model/place.ts';
import type { ChannelWatch } from '../../../../src/model/space.ts';
import type { Tenure } from '../../../../src/ports/processes.ts';
import type { MirrorTarget } from '../../../../src/ports/mirrors.ts';
import type { Row } from '../../../../src/store/inbox/row.ts';
import { AppError } from '../../../../src/errors.ts';
import { messageOf } from '../../store/inbox/support.ts';
import { plainTranslator } from '../../../fakes/autotranslate.ts';

const CHANNEL: Channel = { space: { platform: 'voices', id: 'space' }, id: 'general' };
const THREAD: MirrorTarget = { channel: { ...CHANNEL, id: 'thread', parentId: CHANNEL.id } };

/** Prepares a row of a channel with Spanish and Japanese threads, of which some are recorded. */
const prepareRow = (
  row: Pick<Row, 'message' | 'mayExist'>,
  {
    isHeld = true,
    recorded = {},
  }: { isHeld?: boolean; recorded?: Readonly<Record<string, MirrorTarget>> } = {},
) => {
  const asked: string[] = [];
  const thread = async (_: unknown, name: string) => {
    asked.push(name);
    return THREAD;
  };
  const languages = { name: (language: string) => language };
  const watch: ChannelWatch = {
    channel: CHANNEL,
    mode: 'thread',
    languages: ['es', 'ja'],
    transcribes: false,
    bots: false,
  };
  const watches = {
    refresh: async () => undefined,
    of: () => watch,
    isOwn: () => true,
    group: () => [],
  };
  const linkedThreads = { of: async () => ({ origin: '', threads: [] }) };
  const platforms = {
    of: () => ({
      mirrors: { thread },
      feed: { read: async () => messageOf(1, 'hello', CHANNEL), timeOf: () => 0 },
    }),
  } as unknown as PrepareDeps['platforms'];
  const threads = {
    of: async (_: Channel, language: string) => recorded[language],
    put: async () => undefined,
  };
  const { prepare } = createPrepare({
    services: {
      languages,
      spaces: { of: async () => ({ quietChannels: [], rules: {} }) },
      privacy: { optedOut: async () => false },
      limits: { fault: async () => undefined },
      translator: plainTranslator,
    },
    outages: {
      of: async () => ({ mark: () => undefined, ready: async () => 0, answered: () => 0 }),
    },
    recognitions: { of: async () => undefined },
    botLoops: { isLoop: async () => false },
    stored: { quoting: async () => [] },
    bars: { isBarred: async () => false },
    names: {
      note: () => undefined,
      shownIn: async (_: unknown, { author }: { author: unknown }) => author,
    },
    floods: { within: (_: unknown, __: unknown, among: unknown) => among },
    watches,
    places: createPlaces({ watches, threads, linkedThreads, platforms, languages }),
    linkedThreads: { of: async () => undefined },
    platforms,
    late: createLateTargets({ lateIn: async () => [] }),
  } as unknown as PrepareDeps);
  const tenure = {
    assertHeld: () => {
      if (!isHeld) throw new AppError('cancelled', 'another process has the slot');
    },
  } as Tenure;
  const { ref } = messageOf(1, '', CHANNEL);
  const whole = { ref, purpose: 'watch', authorId: 'ada', attempts: 2, ...row } as Row;
  const { signal } = new AbortController();
  return { asked, prepared: prepare(whole, { isLast: false, tenure }, signal) };
};

test('the thread of a language is looked for, and created, by the holder of the slot alone', async () => {
  const held = prepareRow({ message: 'unread', mayExist: false });
  expect((await held.prepared).mirrors).toMatchObject([{ target: THREAD }, { target: THREAD }]);
  expect(held.asked).toEqual(['🇪🇸 es', '🇯🇵 ja']);
  const lost = prepareRow({ message: 'unread', mayExist: false }, { isHeld: false });
  await expect(lost.prepared).rejects.toMatchObject({ code: 'cancelled' });
  expect(lost.asked).toEqual([]);
});

test('translations of a deleted message are looked for in recorded threads alone, and none is created for it', async () => {
  const recorded = { ja: THREAD };
  const { asked, prepared } = prepareRow({ message: 'deleted', mayExist: true }, { recorded });
  expect((await prepared).orphanTargets).toEqual([THREAD]);
  expect(asked).toEqual([]);
});
