import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import type { Content } from '../../../src/model/message.ts';
import type { Posted } from '../../../src/model/place.ts';
import { markdownOf, rich } from '../../fakes/rich-text.ts';
import { createStatusMessages } from '../../../src/voice/status-messages.ts';
import { human, openCaptioned, OTHER, ROOM } from './room-harness.ts';
import { sentence, sentenceLike } from '../../fakes/sentences.ts';

const CHANNEL = { space: { platform: 'test', id: 's' }, id: 'room' };

const start = () => {
  const shown = new Map<string, string>();
  const state = { fails: false, calls: 0 };
  const at = async (posted: Posted | undefined, { text }: Content): Promise<Posted> => {
    state.calls += 1;
    if (state.fails) throw new Error('no');
    if (posted && !shown.has(posted.ids[0])) throw new AppError('not-found', 'deleted');
    const result: Posted = posted ?? { channel: CHANNEL, ids: [`m${state.calls}`] };
    shown.set(result.ids[0], markdownOf(text));
    return result;
  };
  const notes = createStatusMessages({
    platform: { post: async (_, content) => at(undefined, content), edit: at },
    channel: () => CHANNEL,
    log: pino({ enabled: false }),
  });
  return { notes, shown, state };
};
const texts = (shown: ReadonlyMap<string, string>): string[] => [...shown.values()];

describe('status messages of a room', () => {
  it('are one for each topic, edited when it changes', async () => {
    const { notes, shown } = start();
    await notes.show('ann', { text: rich('cannot hear Ann') });
    await notes.show('bob', { text: rich('cannot hear Bob') });
    await notes.settle('ann', { text: rich('hears Ann') });
    expect(texts(shown)).toEqual(['hears Ann', 'cannot hear Bob']);
    await notes.show('ann', { text: rich('cannot hear Ann') });
    expect(texts(shown)).toEqual(['hears Ann', 'cannot hear Bob', 'cannot hear Ann']);
  });

  it('are of a bounded number of topics: beyond it the oldest stay as they are', async () => {
    const { notes, shown } = start();
    for (let at = 0; at <= 50; at += 1)
      await notes.show(`p${at}`, { text: rich(`cannot hear ${at}`) });
    await notes.settle('p0', { text: rich('hears 0') });
    await notes.settle('p1', { text: rich('hears 1') });
    expect(texts(shown).slice(0, 2)).toEqual(['cannot hear 0', 'hears 1']);
  });

  it('are posted again where somebody deleted them, unless the topic is closed', async () => {
    const { notes, shown } = start();
    await notes.show('ann', { text: rich('cannot hear Ann') });
    shown.clear();
    await notes.show('ann', { text: rich('cannot hear Ann at all') });
    expect(texts(shown)).toEqual(['cannot hear Ann at all']);
    shown.clear();
    await notes.settle('ann', { text: rich('hears Ann') });
    expect(texts(shown)).toEqual([]);
  });

  it('are not repeated, and no topic is closed that was not open', async () => {
    const { notes, state } = start();
    await notes.settle('ann', { text: rich('hears Ann') });
    expect(state.calls).toBe(0);
    await Promise.all([1, 2, 3].map(() => notes.show('ann', { text: rich('cannot hear Ann') })));
    expect(state.calls).toBe(1);
  });

  it('keep their order, and survive what cannot be posted', async () => {
    const { notes, shown, state } = start();
    const first = notes.show('ann', { text: rich('cannot hear Ann') });
    const second = notes.settle('ann', { text: rich('hears Ann') });
    await Promise.all([first, second]);
    expect(texts(shown)).toEqual(['hears Ann']);
    state.fails = true;
    await notes.show('bob', { text: rich('cannot hear Bob') });
    expect(await notes.post({ text: rich('x') })).toBe(false);
    state.fails = false;
    await notes.show('bob', { text: rich('cannot hear Bob') });
    expect(texts(shown)).toEqual(['hears Ann', 'cannot hear Bob']);
  });
});

const MISSED = sentenceLike('room.missed');
const BACK = new RegExp(`^${sentence('room.reconnected')}`);

describe('captions of a room in which not all is received', () => {
  it('go on after the connection was lost, which one message reports', async () => {
    await using stage = await openCaptioned();
    stage.place.connection(false);
    await stage.pass(5_000);
    expect(stage.place.texts(ROOM).at(-1)).toContain(sentence('room.reconnecting'));
    stage.place.connection(true);
    await stage.pass(1_000);
    expect(stage.place.texts(ROOM).at(-1)).toMatch(BACK);
    await stage.say('ann', 'still here');
    expect(stage.place.texts(ROOM).at(-1)).toContain('still here');
  });

  it.each([2, 8, 30])(
    'say once in the chat and the transcript that %i s are missing',
    async (count) => {
      await using stage = await openCaptioned();
      await stage.say('ann', 'before');
      stage.place.connection(false);
      await stage.pass(count * 1_000);
      stage.place.connection(true);
      stage.place.missed(count * 1_000 - 100);
      await stage.say('ann', 'after');
      const shown = stage.place.texts(ROOM).join('\n');
      expect(
        shown.match(new RegExp(sentenceLike('room.missed', { count }).source, 'g')),
      ).toHaveLength(1);
      const file = await stage.room().transcript('txt');
      const lines = Buffer.from(file!.bytes).toString();
      expect(lines.split(sentence('room.gap-here', { count }))).toHaveLength(2);
      expect(lines.indexOf('before')).toBeLessThan(
        lines.indexOf(sentence('room.gap-here', { count })),
      );
    },
  );

  it('say nothing of a connection that is lost for a moment', async () => {
    await using stage = await openCaptioned();
    const before = stage.place.history.length;
    for (let time = 0; time < 5; time += 1) {
      stage.place.connection(false);
      await stage.pass(100);
      stage.place.connection(true);
      await stage.pass(2_000);
    }
    expect(stage.place.history).toHaveLength(before);
  });

  it('report members who cannot be received, and that they can again', async () => {
    await using stage = await openCaptioned();
    stage.place.audible('ann', false);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).at(-1)).toBe(sentence('room.cannot-hear', { name: 'Ann' }));
    stage.place.audible('ann', true);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).at(-1)).toBe(sentence('room.hears-again', { name: 'Ann' }));
  });

  it('report that somebody speaks without a name where it may be one of several', async () => {
    await using stage = await openCaptioned();
    stage.place.audible(undefined, false);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).at(-1)).toBe(sentence('room.cannot-hear-someone'));
    stage.place.audible(undefined, true);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).at(-1)).toBe(sentence('room.hears-everyone'));
  });

  it('report that a member who could not be received has left', async () => {
    await using stage = await openCaptioned();
    stage.place.audible('ann', false);
    await stage.pass(0);
    stage.place.exit(ROOM, 'ann');
    await stage.pass(0);
    expect(stage.place.texts(ROOM).at(-1)).toBe(sentence('room.left-unheard', { name: 'Ann' }));
    stage.place.enter(ROOM, human('ann', 'Ann'));
    stage.place.audible('ann', true);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).join()).not.toContain(
      sentence('room.hears-again', { name: 'Ann' }),
    );
  });

  it('say once that seconds never arrived, whoever missed them', async () => {
    await using stage = await openCaptioned();
    const told = () =>
      stage.place.texts(ROOM).filter((text) => sentenceLike('room.missed').test(text));
    stage.place.missed(9_600);
    stage.place.missed(9_800);
    await stage.pass(20_000);
    stage.place.missed(2_000);
    await stage.pass(0);
    expect(told()).toEqual([expect.stringMatching(sentenceLike('room.missed', { count: 10 }))]);
    await stage.pass(15_000);
    stage.place.missed(1_000);
    await stage.pass(0);
    expect(told()).toHaveLength(2);
  });

  it('do not say twice what is missing: the connection was known to be lost', async () => {
    await using stage = await openCaptioned();
    stage.place.connection(false);
    await stage.pass(5_000);
    stage.place.connection(true);
    stage.place.missed(5_000);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).filter((text) => MISSED.test(text))).toHaveLength(1);
  });
});

describe('a move to another room', () => {
  it.each([
    ['is no loss of the connection', 4_000, false],
    ['is one where it does not come back', 6_000, true],
  ])('%s', async (_, awayMs, isTold) => {
    await using stage = await openCaptioned();
    stage.place.enter(OTHER, human('ann', 'Ann'));
    stage.place.move(OTHER);
    stage.place.connection(false);
    await stage.pass(awayMs);
    stage.place.connection(true);
    await stage.pass(1_000);
    const told = stage.place.texts(OTHER);
    expect(told.some((text) => BACK.test(text))).toBe(isTold);
    // What was not received is told, whatever the cause.
    expect(told.filter((text) => MISSED.test(text))).toHaveLength(1);
  });
});
