import * as fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MINUTE_MS } from '../../../../src/async/clock.ts';
import { AppError } from '../../../../src/errors.ts';
import {
  createSetupLines,
  type SetupLine,
} from '../../../../src/autotranslate/links/setup-lines.ts';
import { createTell } from '../../../../src/autotranslate/tell.ts';
import type { Posted } from '../../../../src/model/place.ts';
import { plainWords } from '../../../../src/rich-text/compose.ts';
import type { RichText } from '../../../../src/rich-text/rich-text.ts';
import { channel, createFakeFeed } from '../../../fakes/channel-feed.ts';
import { silentLog } from '../../../fakes/silent-log.ts';

const GENERAL = channel('general');
const refusal = new AppError('forbidden', 'the bot may not edit here');

interface Change extends Pick<SetupLine, 'kind' | 'by' | 'isOn' | 'isLinked'> {
  readonly words: string;
}

const textOf = (
  { isLinked, by }: Omit<Change, 'words'>,
  words: string,
  isOn: boolean | undefined,
): RichText =>
  plainWords([isOn && 'machine', isLinked && 'linked', by, words].filter(Boolean).join(' '));

/** A line that says all that it is to tell. */
const lineOf = ({ words, ...line }: Change): SetupLine => ({
  ...line,
  text: textOf(line, words, line.isOn),
  ...(line.kind === 'state' && { textOn: textOf(line, words, true) }),
});

const createWorld = () => {
  const feed = createFakeFeed();
  const clock = { aheadMs: 0 };
  const faults: AppError[] = [];
  const { platform } = feed;
  const now = (): number => Date.now() + clock.aheadMs;
  const setupLines = createSetupLines(
    {
      find: () => ({
        feed: { ...feed.feed, isHistorySlow: () => world.isSlow },
        mirrors: feed.mirrors,
      }),
      edit: async (posted: Posted, content) => {
        const fault = faults.shift();
        if (fault) throw fault;
        await world.editing;
        return platform.edit(posted, content);
      },
    },
    createTell((to, content) => platform.post(to, content), silentLog),
    { now, nowMs: now },
  );
  const tell = (line: SetupLine): Promise<void> => setupLines.tell(GENERAL, async () => line);
  const world = {
    feed,
    clock,
    faults,
    isSlow: false,
    /** What an edit waits for. */
    editing: Promise.resolve(),
    setupLines,
    tell,
    change: (words: string, part: Partial<Change> = {}): Promise<void> =>
      tell(lineOf({ kind: 'state', by: 'Ann', words, ...part })),
    texts: () => feed.texts(GENERAL),
  };
  return world;
};

describe('lines of a setup', () => {
  let world: ReturnType<typeof createWorld>;
  beforeEach(() => {
    world = createWorld();
  });

  it('are one message with the present state while nobody writes', async () => {
    for (const words of ['fr', 'fr ja', 'ja', 'ja ko', 'ko']) await world.change(words);
    expect(world.texts()).toEqual(['Ann ko']);
    expect(world.feed.calls.filter((call) => call === 'history')).toHaveLength(4);
  });

  it('say what holds now with what a machine does, by the one who turned it on', async () => {
    await world.change('fr', { isOn: true });
    await world.change('fr ja');
    expect(world.texts()).toEqual(['machine Ann fr ja']);
  });

  it('name each who changed it, and end with what holds', async () => {
    await world.change('fr', { isOn: true });
    await world.change('fr ja', { by: 'Ben' });
    await world.change('ja');
    await world.change('ja ko', { by: 'Ben' });
    expect(world.texts()).toEqual(['machine Ann fr\nAnn ja\nBen ja ko']);
  });

  it('are a new message where one would become long', async () => {
    for (const by of ['Ann', 'Ben', 'Cem', 'Dan']) await world.change('fr', { by });
    expect(world.texts()).toEqual(['Ann fr\nBen fr\nCem fr', 'Dan fr']);
  });

  it('keep what must be told where it is turned off, and no pause once it is on again', async () => {
    await world.change('fr', { isOn: true, isLinked: true });
    await world.change('paused', { kind: 'pause' });
    await world.change('off', { kind: 'off', by: 'Ben' });
    expect(world.texts()).toEqual(['machine linked Ann fr\nAnn paused\nBen off']);
    await world.change('ja', { isOn: true });
    expect(world.texts()).toEqual(['machine linked Ann fr\nmachine Ann ja']);
  });

  it('keep one of pause and resume beside the state', async () => {
    await world.change('fr');
    await world.change('paused', { kind: 'pause' });
    await world.change('resumed', { kind: 'pause', by: 'Ben' });
    expect(world.texts()).toEqual(['Ann fr\nBen resumed']);
  });

  it.each<[string, () => unknown]>([
    ['somebody wrote below', () => world.feed.say(GENERAL, 'hello')],
    ['somebody deleted them', () => world.feed.remove(world.feed.messages(GENERAL)[0]!.ref)],
    ['ten minutes have passed', () => (world.clock.aheadMs += 10 * MINUTE_MS)],
    ['the history cannot be read', () => world.feed.fail({ call: 'history', error: refusal })],
    ['they may not be edited', () => world.faults.push(refusal)],
    ['a space was left', () => world.setupLines.forgetSpace()],
    [
      'people answered them in a thread',
      () => Object.assign(world.feed.messages(GENERAL)[0]!, { replies: { count: 1 } }),
    ],
  ])('are posted anew where %s, once', async (_, happen) => {
    await world.change('fr', { isOn: true });
    happen();
    const before = world.texts();
    await world.change('ja');
    expect(world.texts()).toEqual([...before, 'Ann ja']);
    await world.change('ko');
    expect(world.texts()).toEqual([...before, 'Ann ko']);
  });

  it('are posted anew where a history takes long, which is not read', async () => {
    world.isSlow = true;
    for (const words of ['fr', 'ja']) await world.change(words);
    expect(world.texts()).toEqual(['Ann fr', 'Ann ja']);
    expect(world.feed.calls).not.toContain('history');
  });

  it('are posted anew where the platform says nothing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const never = new Promise<never>(() => undefined);
    await world.change('fr');
    world.feed.during('history', () => never);
    const reading = world.change('ja');
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    await reading;
    world.editing = never;
    const editing = world.change('ko');
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    await editing;
    expect(world.texts()).toEqual(['Ann fr', 'Ann ja', 'Ann ko']);
  });

  it('with buttons stay as they are', async () => {
    await world.change('fr');
    await world.tell({ ...lineOf({ kind: 'state', by: 'Ann', words: 'request' }), controls: [] });
    await world.change('ja');
    expect(world.texts()).toEqual(['Ann fr', 'Ann request', 'Ann ja']);
  });

  it('come in the order of the changes, whichever is ready first', async () => {
    const first = Promise.withResolvers<undefined>();
    const turns = [world.setupLines.tell(GENERAL, () => first.promise), world.change('fr')];
    const reading = Promise.withResolvers<undefined>();
    world.feed.during('history', () => reading.promise);
    turns.push(world.change('ja'), world.change('ko'));
    first.resolve(undefined);
    reading.resolve(undefined);
    await Promise.all(turns);
    expect(world.texts()).toEqual(['Ann ko']);
  });

  it('that could not be posted are no message to edit', async () => {
    world.feed.fail({ call: 'post', error: refusal });
    await world.change('fr', { isOn: true });
    await world.change('ja');
    expect(world.texts()).toEqual(['Ann ja']);
  });
});

it('never change another message than the newest, a young one of theirs, nor lose what must be told', async () => {
  const changes = fc.record({
    kind: fc.constantFrom<SetupLine['kind']>('state', 'state', 'off', 'pause'),
    by: fc.constantFrom('Ann', 'Ben', 'Cem'),
    isOn: fc.boolean(),
    isLinked: fc.boolean(),
  });
  const steps = fc.oneof(
    { weight: 6, arbitrary: changes },
    fc.constantFrom('write', 'delete', 'wait', 'refuse'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 20 }), async (all) => {
      const { feed, clock, faults, change } = createWorld();
      /** What each message of lines told at any time, and when it was posted. */
      const told = new Map<string, { machine: boolean; linked: boolean; atMs: number }>();
      for (const [count, step] of all.entries()) {
        const before = feed.messages(GENERAL).slice();
        const newest = before.at(-1);
        if (step === 'write') feed.say(GENERAL, `words ${count}`);
        else if (step === 'delete' && newest) feed.remove(newest.ref);
        else if (step === 'wait') clock.aheadMs += 4 * MINUTE_MS;
        else if (step === 'refuse') faults.splice(0, 1, refusal);
        else if (typeof step === 'object') {
          const of = step.kind === 'state' ? step : { kind: step.kind, by: step.by };
          const words = `change-${count}`;
          await change(words, of);
          const after = feed.messages(GENERAL);
          const last = after.at(-1)!;
          const isNew = after.length > before.length;
          expect(after.slice(0, -1)).toEqual(isNew ? before : before.slice(0, -1));
          const lines = feed.texts(GENERAL).at(-1)!.split('\n');
          expect(lines.at(-1)).toContain(`${step.by} ${words}`);
          expect(lines.length).toBeLessThanOrEqual(3);
          const past = told.get(last.ref.id) ?? {
            machine: false,
            linked: false,
            atMs: clock.aheadMs,
          };
          if (!isNew) expect(told.has(last.ref.id)).toBe(true);
          expect(clock.aheadMs - past.atMs).toBeLessThan(10 * MINUTE_MS);
          const { isOn = false, isLinked = false } = of as Partial<Change>;
          const now = { ...past, machine: past.machine || isOn, linked: past.linked || isLinked };
          told.set(last.ref.id, now);
          if (now.machine) expect(lines.join()).toContain('machine');
          if (now.linked) expect(lines.join()).toContain('linked');
        }
      }
    }),
  );
});
