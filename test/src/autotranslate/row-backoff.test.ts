import type { Store } from '../../../src/store/index.ts';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { NotSentError } from '../../../src/api/scheduler/scheduler.ts';
import { PREPARING, waitMs } from '../../../src/autotranslate/row-backoff.ts';
import { AppError } from '../../../src/errors.ts';
import type { Message } from '../../../src/model/message.ts';
import { SPACE, lost } from '../../fakes/channel-feed.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { GENERAL, withScene } from './support.ts';

describe('what fails', () => {
  const scene = withScene([watchOf(GENERAL, { languages: ['es', 'ja'] })]);

  it('for good is given up, kept for moderators, and holds nothing up', async () => {
    scene.faults.set(
      'bad',
      Array.from({ length: 2 }, () => new AppError('bad-reply', 'unreadable')),
    );
    const { ref } = await scene.say(GENERAL, 'bad');
    await scene.say(GENERAL, 'good');
    await scene.idle();
    expect(scene.feed.texts(GENERAL).at(-1)).toContain('es(good)');
    const backlog = await scene.inbox.backlog(SPACE);
    expect(backlog).toMatchObject({
      waiting: 0,
      dead: 1,
      newestDead: [{ reason: { key: 'reasons.bad-reply' } }],
    });
    expect(await scene.inbox.revive(SPACE)).toBe(1);
    await scene.idle();
    expect((await scene.outcomes())[ref.id]).toBe('posted');
    expect(scene.feed.texts(GENERAL).join('\n')).toContain('es(bad)');
  });

  it('because too much is asked of the service waits, and counts as no try', async () => {
    const busy = (): AppError =>
      new NotSentError('rate-limited', 'too many wait', { retryAfterMs: 4_000 });
    scene.faults.set('first', Array.from({ length: 40 }, busy));
    await scene.say(GENERAL, 'first');
    await scene.say(GENERAL, 'second');
    for (let minute = 0; minute < 15; minute += 1) await scene.later();
    const tried = await scene.store.selectFrom('inbox').select('attempts').execute();
    expect(tried.map(({ attempts }) => attempts)).toEqual([0, 0]);
    expect(await scene.inbox.backlog(SPACE)).toMatchObject({ waiting: 2, dead: 0 });
    for (let minute = 0; minute < 8; minute += 1) await scene.later();
    const [first, second] = scene.feed.texts(GENERAL).slice(2);
    expect([first, second]).toEqual([
      expect.stringContaining('es(first)'),
      expect.stringContaining('es(second)'),
    ]);
  });

  it('waits for whole milliseconds, as databases keep times', () => {
    const [failed, busy] = [
      new AppError('unavailable', 'away', { retryable: true, retryAfterMs: 0.5 }),
      new NotSentError('rate-limited', 'too many wait', { retryAfterMs: 4_000.5 }),
    ];
    for (const random of [0.1234567, 0.9876543])
      for (const fault of [failed, busy])
        expect(waitMs(PREPARING, 3, fault, () => random) % 1).toBe(0);
  });

  it('after it was posted is not posted twice', async () => {
    scene.feed.fail({ call: 'create', error: lost(), after: true });
    await scene.say(GENERAL, 'once');
    await scene.later();
    expect(Object.values(await scene.outcomes())).toEqual(['posted']);
    expect(scene.feed.texts(GENERAL)).toHaveLength(2);
  });

  it('leaves their outcome to those that were posted before it', async () => {
    const [releaseEarlier, release] = [scene.hold('earlier'), scene.hold('first')];
    await scene.say(GENERAL, 'earlier');
    const said: Message[] = [];
    for (const words of ['first', 'second', 'third']) said.push(await scene.say(GENERAL, words));
    releaseEarlier();
    // All three are prepared when the first is, and so reconciled together.
    while (scene.asked.get('ja') !== 4) await setImmediate();
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    scene.feed.during('create', async () => undefined);
    scene.feed.during('create', async () =>
      scene.feed.fail({ call: 'create', error: lost() }, { call: 'create', error: lost() }),
    );
    release();
    await scene.idle();
    const states = async () => {
      const outcomes = await scene.outcomes();
      return said.map(({ ref }) => outcomes[ref.id]);
    };
    expect(await states()).toEqual(['posted', 'waiting', 'waiting']);
    await scene.later();
    expect(await states()).toEqual(['posted', 'posted', 'posted']);
    expect(scene.feed.texts(GENERAL)).toHaveLength(8);
  });

  it('in part is repaired when it is tried again, and nothing doubled', async () => {
    scene.faults.set('hello', [new AppError('bad-reply', 'unreadable')]);
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toHaveLength(2);
    await scene.inbox.revive(SPACE);
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['hello', '🇪🇸 es(hello)\n🇯🇵 ja(hello)']);
  });

  it('has nothing translated again that was translated', async () => {
    scene.faults.set('hello', [new AppError('unavailable', 'away', { retryable: true })]);
    await scene.say(GENERAL, 'hello');
    await scene.later();
    expect(scene.feed.texts(GENERAL)).toHaveLength(2);
    const asked = [scene.asked.get('es') ?? 0, scene.asked.get('ja') ?? 0];
    expect(asked.toSorted((a, b) => a - b)).toEqual([1, 2]);
  });

  /** Says what is posted in one go, and there meets a fault. */
  const sayTogether = async (error: AppError, ...texts: string[]): Promise<Message[]> => {
    const [before, head] = [scene.hold('before them'), scene.hold(texts[0] ?? '')];
    await scene.say(GENERAL, 'before them');
    const said: Message[] = [];
    for (const text of texts) said.push(await scene.say(GENERAL, text));
    before();
    await expect.poll(() => texts.every((text) => scene.contexts.has(text))).toBe(true);
    await setImmediate();
    scene.feed.fail({ call: 'create', error });
    head();
    await scene.idle();
    return said;
  };

  it('for good takes nothing along that is posted with it', async () => {
    const fault = new AppError('bad-input', 'blocked');
    const [bad, good] = await sayTogether(fault, 'bad', 'good');
    expect(await scene.outcomes()).toMatchObject({
      [bad!.ref.id]: 'dead bad-input',
      [good!.ref.id]: 'posted',
    });
    expect(scene.feed.texts(GENERAL).at(-1)).toContain('es(good)');
  });

  it('because a channel is closed is not tried for each message that waits', async () => {
    const said = await sayTogether(new AppError('forbidden', 'closed'), 'one', 'two', 'three');
    const outcomes = await scene.outcomes();
    expect(new Set(said.map(({ ref }) => outcomes[ref.id]))).toEqual(new Set(['dead forbidden']));
  });

  it('because its place is gone is told, though the message is there', async () => {
    scene.feed.fail({ call: 'create', error: new AppError('not-found', 'the place is gone') });
    const { ref } = await scene.say(GENERAL, 'hello');
    await scene.idle();
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'dead not-found' });
  });

  it('because it was broken off has not failed', async () => {
    scene.feed.fail({ call: 'create', error: new AppError('cancelled', 'stopped') });
    const { ref } = await scene.say(GENERAL, 'hello');
    await scene.idle();
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'posted' });
  });

  it('at its platform has nothing translated again', async () => {
    scene.feed.fail({ call: 'create', error: lost() });
    await scene.say(GENERAL, 'hello');
    await scene.later();
    expect(scene.feed.texts(GENERAL)).toHaveLength(2);
    expect([...scene.asked.values()]).toEqual([1, 1]);
  });

  it('to take away what became a command is not translated when it is tried again', async () => {
    const { ref } = await scene.say(GENERAL, 'hello');
    await scene.idle();
    const error = new AppError('forbidden', 'closed');
    scene.feed.fail({ call: 'remove', error });
    await scene.listener.messageChanged(scene.feed.edit(ref, '!play hello'));
    await scene.idle();
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'dead forbidden' });
    await scene.inbox.revive(SPACE);
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['!play hello']);
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped command' });
  });

  it('because of the database is no fault of the message', async () => {
    const { ref } = await scene.say(GENERAL, 'hello');
    await scene.idle();
    const write: Store['write'] = scene.store.write.bind(scene.store);
    let faults = 0;
    Object.assign(scene.store, {
      write: async (...given: Parameters<Store['write']>) => {
        const isOther = given[1]?.durable !== false;
        // The first write after the copy was taken away.
        if (isOther || scene.feed.texts(GENERAL).length > 0 || faults > 0) return write(...given);
        faults += 1;
        throw new Error('the disk is full');
      },
    });
    scene.feed.remove(ref);
    await scene.listener.messagesDeleted([ref]);
    await scene.later();
    expect(faults).toBe(1);
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped deleted' });
  });

  it('to be read once more leaves what stands as it is', async () => {
    const { ref } = await scene.say(GENERAL, 'before');
    await scene.idle();
    const error = new AppError('forbidden', 'closed');
    scene.feed.fail({ call: 'update', error }, { call: 'read', error });
    await scene.listener.messageChanged(scene.feed.edit(ref, 'after'));
    await scene.idle();
    await scene.inbox.revive(SPACE);
    await scene.idle();
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'dead forbidden' });
    expect(scene.feed.texts(GENERAL)).toEqual(['after', '🇪🇸 es(before)\n🇯🇵 ja(before)']);
  });
});
