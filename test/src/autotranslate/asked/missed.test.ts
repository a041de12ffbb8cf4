import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MOST_MISSED } from '../../../../src/autotranslate/asked/missed.ts';
import { AppError } from '../../../../src/errors.ts';
import type { Message } from '../../../../src/model/message.ts';
import { plainText } from '../../../../src/rich-text/walk.ts';
import { createArrivalStore } from '../../../../src/store/inbox/arrivals.ts';
import { flagPurpose, WATCH } from '../../../../src/store/inbox/row.ts';
import { person } from '../../../fakes/channel-feed.ts';
import { HERE, HOUR_MS, open, OURS, THERE } from './support.ts';

describe('messages that somebody missed', () => {
  it('are also those with files or stickers alone, which have no words', async () => {
    const { fake, since, texts } = await open();
    const file = { id: '1', name: 'a.png', mediaType: 'image/png', sizeBytes: 1 } as never;
    const ids = [{ files: [file] }, { stickers: [{ name: 'Wave', url: '' }] }].map(
      (part) => fake.say(HERE, '', part).ref.id,
    );
    fake.say(HERE, '');
    fake.say(HERE, '', { files: [file], author: person('shy') });
    expect(await since({ agoMs: HOUR_MS })).toMatchObject({ messages: ids, leftOut: 1 });
    expect(await texts(9)).toEqual([]);
  });

  it('are not shown where reading them tells that the rest takes minutes', async () => {
    const { fake, since } = await open();
    const newest = fake.feed.newest.bind(fake.feed);
    let isSlow = false;
    Object.assign(fake.feed, {
      isHistorySlow: () => isSlow,
      newest: async (...given: Parameters<typeof newest>) => {
        isSlow = true;
        return newest(...given);
      },
    });
    fake.say(HERE, 'one');
    await expect(since({ agoMs: HOUR_MS })).rejects.toMatchObject({
      sentence: { key: 'autotranslate.read-slow' },
    });
  });

  it('are not read again where that takes minutes, nor their replies: what is known to be gone is left out', async () => {
    const { fake, messages, out, deleted } = await open();
    const given = ['ann', 'bob', 'cat'].map((id) =>
      fake.say(HERE, `by ${id}`, { author: person(id) }),
    );
    const reply = fake.say(THERE, 'reply', { threadId: given[0]!.ref.id });
    fake.feed.replies = async () => {
      throw new Error('read');
    };
    fake.feed.earliest = async () => {
      Object.assign(fake.feed, { isHistorySlow: () => true });
      throw new AppError('rate-limited', 'later');
    };
    out.add('bob');
    deleted.add(given[2]!.ref.id);
    const all = [given[0]!, reply, ...given.slice(1)];
    const still = async () => messages.still(HERE, all, 'eve', AbortSignal.timeout(1_000));
    const left = { messages: [given[0], reply], leftOut: 1 };
    expect(await still()).toEqual(left);
    const read = (fake.feed.earliest = vi.fn<typeof fake.feed.earliest>());
    const replies = (fake.feed.replies = vi.fn<NonNullable<typeof fake.feed.replies>>());
    expect(await still()).toEqual(left);
    expect(await messages.replies(given, 1, AbortSignal.timeout(1_000))).toEqual({
      messages: [],
      leftOut: 0,
    });
    expect(read).not.toHaveBeenCalled();
    expect(replies).not.toHaveBeenCalled();
  });

  it('are none of what somebody wrote while they were opted out, who is not any more', async () => {
    const { fake, messages, since, store } = await open();
    const [then, now] = ['then', 'now'].map((text) => fake.say(HERE, text));
    const row = { purpose: WATCH, partition: 'here', writtenMs: Date.now() };
    const { accept } = createArrivalStore({ store, now: Date.now });
    await accept({ ...row, message: then!, skip: 'opted-out' });
    await accept({ ...row, message: now!, skip: 'emoji' });
    expect(await since({ agoMs: HOUR_MS })).toMatchObject({ messages: [now!.ref.id], leftOut: 1 });
    expect(await messages.read(then!.ref)).toBeUndefined();
    expect(await messages.read(now!.ref)).toBeDefined();
  });

  it('begin at a position, or so long ago', async () => {
    const { fake, since } = await open();
    const [, two, three] = ['one', 'two', 'three'].map((text) => fake.say(HERE, text));
    const rest = { messages: [two!.ref.id, three!.ref.id], isCut: false, leftOut: 0 };
    expect(await since(two!.position)).toEqual({
      ...rest,
      sinceMs: fake.feed.timeOf(two!.position),
    });
    expect((await since({ agoMs: HOUR_MS })).messages).toHaveLength(3);
    expect((await since({ agoMs: -HOUR_MS })).messages).toEqual([]);
  });

  it('begin after the last one of the person, also where they opted out', async () => {
    const { fake, since } = await open();
    fake.say(HERE, 'old');
    const mine = fake.say(HERE, 'mine', { author: person('shy') });
    const { ref } = fake.say(HERE, 'new');
    expect(await since({ agoMs: HOUR_MS, afterOwn: 'shy' })).toEqual({
      messages: [ref.id],
      sinceMs: fake.feed.timeOf(mine.position),
      isCut: false,
      leftOut: 0,
    });
    expect((await since({ agoMs: HOUR_MS, afterOwn: 'bob' })).leftOut).toBe(1);
  });

  it('are the newest of thousands, read once', async () => {
    const { fake, since } = await open();
    for (let count = 0; count < 10_000; count += 1) fake.say(HERE, `line ${count}`);
    const { messages, isCut } = await since({ agoMs: HOUR_MS });
    expect([messages.length, isCut]).toEqual([MOST_MISSED, true]);
    expect(messages.at(-1)).toBe(fake.messages(HERE).at(-1)?.ref.id);
    expect(fake.calls).toEqual(['history']);
  });

  it('are from a position on the first of thousands, and then the next ones, each once', async () => {
    const { fake, since } = await open();
    const said = Array.from({ length: 1_000 }, (_, at) => fake.say(HERE, `line ${at}`));
    const ids = said.map(({ ref }) => ref.id);
    fake.remove(said[400]!.ref);
    const read: string[] = [];
    let count = 0;
    for (let from: string | undefined = said[99]!.position; from !== undefined; count += 1) {
      const { messages, next, isCut } = await since(from);
      expect([messages.length <= MOST_MISSED, isCut]).toEqual([true, false]);
      read.push(...messages);
      from = next;
    }
    expect(read).toEqual([...ids.slice(99, 400), ...ids.slice(401)]);
    expect(count).toBe(3);
  });

  it.each([0, 1])('are said to go on only where they do: %i more', async (more) => {
    const { fake, since } = await open();
    const said = Array.from({ length: MOST_MISSED + more }, () => fake.say(HERE, 'line'));
    expect((await since(said[0]!.position)).next).toBe(said[MOST_MISSED]?.position);
    expect((await since({ agoMs: HOUR_MS })).isCut).toBe(more === 1);
  });

  it('are found again where they were read, however much was written since', async () => {
    const { fake, messages } = await open();
    const said = Array.from({ length: 1_000 }, (_, at) => fake.say(HERE, `line ${at}`));
    const page = said.slice(100, 110);
    fake.remove(page[3]!.ref);
    const still = await messages.still(HERE, page, 'eve', AbortSignal.timeout(1_000));
    expect(still.messages).toEqual(page.filter((_, at) => at !== 3));
  });

  it('are none of who opts out between two pages, nor what is deleted then', async () => {
    const { fake, since, out } = await open();
    const [ann, bob, cat] = ['ann', 'bob', 'cat'].map((id) =>
      fake.say(HERE, `by ${id}`, { author: person(id) }),
    );
    expect((await since(ann!.position)).messages).toHaveLength(3);
    out.add('bob');
    fake.remove(cat!.ref);
    expect((await since(ann!.position)).messages).toEqual([ann!.ref.id]);
    expect(bob).toBeDefined();
  });

  it('are read again as they are now, for whoever still reads the channel', async () => {
    const { fake, messages, out } = await open();
    const given = ['ann', 'bob', 'cat', 'dan'].map((id) =>
      fake.say(HERE, `by ${id}`, { author: person(id) }),
    );
    out.add('bob');
    fake.remove(given[2]!.ref);
    fake.edit(given[3]!.ref, 'edited');
    for (let count = 0; count < 99; count += 1) fake.say(HERE, 'later');
    const still = () => messages.still(HERE, given, 'eve', AbortSignal.timeout(1_000));
    const now = await still();
    expect(now.messages.map(({ text }) => plainText(text))).toEqual(['by ann', 'edited']);
    expect(now.leftOut).toBe(1);
    fake.left.add('eve');
    await expect(still()).rejects.toMatchObject({ sentence: { key: 'errors.channel-unseen' } });
  });

  it('have replies in threads, of which those that cannot be read are left out, and those that cannot be read again stay', async () => {
    const { fake, messages, deleted } = await open();
    const roots = ['one', 'two'].map((text) => fake.say(HERE, text));
    const replies = ['ann', 'shy', 'bob'].map((id, at) => ({
      ...fake.say(THERE, `by ${id}`, { author: person(id), threadId: roots[0]!.ref.id }),
      ref: { channel: HERE, id: `reply ${at}` },
    }));
    let isRead = true;
    fake.feed.replies = async ({ id }) => {
      if (id !== roots[0]!.ref.id || !isRead) throw new AppError('unavailable', 'away');
      return replies;
    };
    const soon = AbortSignal.timeout(1_000);
    const found = await messages.replies(roots, 1, soon);
    expect(found).toEqual({ messages: [replies[0]], leftOut: 1 });
    const given = [roots[0]!, ...found.messages, roots[1]!];
    const still = async () => (await messages.still(HERE, given, 'eve', soon)).messages;
    expect(await still()).toEqual(given);
    isRead = false;
    expect(await still()).toEqual(given);
    deleted.add(replies[0]!.ref.id);
    expect(await still()).toEqual(roots);
    isRead = true;
    fake.remove(roots[0]!.ref);
    expect(await still()).toEqual([roots[1]]);
  });

  it('are those of one thread from a reply on, whether or not its first message may be shown', async () => {
    const { fake, messages, out } = await open();
    const root = fake.say(HERE, 'root', { author: person('shy') });
    const said = Array.from({ length: MOST_MISSED + 5 }, (_, at) => {
      const author = person(at === 4 ? 'bob' : 'ann');
      const { ref, ...reply } = fake.say(THERE, `${at}`, { author, threadId: root.ref.id });
      return { ...reply, ref: { channel: HERE, id: ref.id } };
    });
    fake.feed.replies = async ({ id }, most, _, from = '') =>
      id === root.ref.id ? said.filter(({ position }) => position >= from).slice(0, most) : [];
    const soon = AbortSignal.timeout(5_000);
    const read = async () => messages.since(HERE, said[3]!.position, soon, root.ref.id);
    const missed = await read();
    const next = said.at(-2)?.position;
    expect(missed).toMatchObject({ isCut: false, next, leftOut: 0, thread: root.ref.id });
    expect(missed.messages).toEqual(said.slice(3, -2));
    const rest = await messages.since(HERE, next!, soon, root.ref.id);
    expect([rest.messages, rest.next]).toEqual([said.slice(-2), undefined]);
    out.add('bob');
    fake.remove(root.ref);
    const asked = missed.messages.slice(0, 40);
    const now = await messages.still(HERE, asked, 'eve', soon);
    expect(now).toEqual({ messages: asked.filter((_, at) => at !== 1), leftOut: 1 });
    fake.left.add('eve');
    await expect(messages.still(HERE, asked, 'eve', soon)).rejects.toMatchObject({
      sentence: { key: 'errors.channel-unseen' },
    });
  });

  it('are all found again also where a reply to a late message stands before them', async () => {
    const { fake, messages } = await open();
    const [root, other] = ['one', 'two'].map((text) => fake.say(HERE, text));
    const reply = fake.say(THERE, 'late', { threadId: root!.ref.id });
    const replies = [{ ...reply, ref: { channel: HERE, id: reply.ref.id } }];
    fake.feed.replies = async ({ id }) => (id === root!.ref.id ? replies : []);
    const given = [...replies, root!, other!];
    const soon = AbortSignal.timeout(1_000);
    expect((await messages.still(HERE, given, 'eve', soon)).messages).toEqual(given);
  });

  it('hold the copies of messages from linked channels, and nothing else of ours', async () => {
    const { fake, since, sources } = await open();
    const there = fake.say(THERE, 'hello', { author: person('ann') });
    const here = fake.say(HERE, 'hola', { author: person('bob') });
    const [copy, reply, flagged] = ['hola', 'hello', 'hallo'].map((text) =>
      fake.say(HERE, text, OURS),
    );
    fake.say(HERE, 'an answer', OURS);
    sources.set(copy!.ref.id, { ref: there.ref, purpose: WATCH });
    sources.set(reply!.ref.id, { ref: here.ref, purpose: WATCH });
    sources.set(flagged!.ref.id, { ref: there.ref, purpose: flagPurpose('de') });
    expect((await since({ agoMs: HOUR_MS })).messages).toEqual([here.ref.id, copy!.ref.id]);
  });

  it('hold no copy from a server that was left: nobody knows any more whose words these are', async () => {
    const { fake, since } = await open();
    fake.say(HERE, 'hola', { ...OURS, copied: true });
    fake.say(HERE, 'an answer', OURS);
    expect(await since({ agoMs: HOUR_MS })).toMatchObject({ messages: [], leftOut: 1 });
  });

  it('have the replies that people wrote, without those that flags brought', async () => {
    const { fake, messages, brought } = await open();
    const said = ['one', 'two'].map((text) => {
      const message = fake.say(HERE, text, { replies: { count: 2, ours: 'some' } });
      return Object.assign(message, { threadId: message.ref.id });
    });
    brought.set(said[0]!.ref.id, ['a']).set(said[1]!.ref.id, ['b', 'c']);
    const soon = AbortSignal.timeout(1_000);
    const counts = ({ messages: all }: { messages: readonly Message[] }) =>
      all.map(({ replies }) => replies?.count);
    const missed = await messages.since(HERE, { agoMs: HOUR_MS }, soon);
    expect(counts(missed)).toEqual([1, undefined]);
    expect(counts(await messages.still(HERE, missed.messages, 'eve', soon))).toEqual([
      1,
      undefined,
    ]);
  });

  it('hold no copy of who opted out, and none whose message is gone', async () => {
    const { fake, since, messages, sources } = await open();
    const shy = fake.say(THERE, 'mine', { author: person('shy') });
    const gone = fake.say(THERE, 'gone', { author: person('ann') });
    for (const source of [shy, gone])
      sources.set(fake.say(HERE, 'copy', OURS).ref.id, { ref: source.ref, purpose: WATCH });
    const [copy] = fake.messages(HERE);
    expect(await messages.read(copy!.ref)).toBeUndefined();
    fake.remove(gone.ref);
    expect(await since({ agoMs: HOUR_MS })).toMatchObject({ messages: [], leftOut: 2 });
  });

  it('leave out copies whose sources cannot be read, or not in time: at most ten are asked for at once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { fake, messages, sources } = await open();
    const { ref } = fake.say(HERE, 'hello', { author: person('bob') });
    const far = Array.from({ length: 60 }, () => fake.say(THERE, 'hola', OURS).ref);
    for (const source of far)
      sources.set(fake.say(HERE, 'copy', OURS).ref.id, { ref: source, purpose: WATCH });
    const asked: string[] = [];
    fake.feed.read = async ({ id }) => {
      asked.push(id);
      if (id === far[0]?.id) throw new AppError('forbidden', 'not readable');
      return new Promise(() => {});
    };
    let missed: unknown;
    const reading = messages.since(HERE, { agoMs: HOUR_MS }, AbortSignal.timeout(60_000));
    void reading.then((found) => (missed = found));
    await vi.waitFor(() => expect(asked).toHaveLength(11));
    await vi.advanceTimersByTimeAsync(10_000);
    await vi.waitFor(() => expect(missed).toMatchObject({ messages: [{ ref }], leftOut: 60 }));
    expect(asked.length).toBeLessThan(60);
  });
});
