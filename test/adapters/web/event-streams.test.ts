import { describe, expect, test } from 'vitest';
import { createEventStreams } from '../../../adapters/web/event-streams.ts';
import type { Profile } from '../../../adapters/web/profiles.ts';
import type { ServerEvent } from '../../../adapters/web/protocol.ts';

const profile = (id: string): Profile => ({
  platform: 'web',
  id,
  name: id,
  locale: 'en',
  role: 'moderator',
  language: 'en',
});

const removed = (id: string): ServerEvent => ({ type: 'removed', id });

const setUp = (options: { replayEvents?: number; queueBytes?: number } = {}) => {
  const presence: string[] = [];
  const streams = createEventStreams({
    epoch: 'run1',
    reader: profile,
    onPresence: (id, present) => presence.push(`${id} ${present ? 'came' : 'went'}`),
    ...options,
  });
  const hello = removed('hello');
  const connect = (id: string, lastId = '') =>
    streams.connect(profile(id), lastId, () => hello).getReader();
  return { streams, presence, connect };
};

type FrameReader = ReadableStreamDefaultReader<Uint8Array>;

/** The next events of a stream, as `id:name`; `end` when it was closed. */
const take = async (reader: FrameReader, count: number): Promise<string[]> => {
  const seen: string[] = [];
  while (seen.length < count) {
    const { value, done } = await reader.read();
    if (done) return [...seen, 'end'];
    const frame = new TextDecoder().decode(value);
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    if (data === undefined) continue;
    const event = JSON.parse(data) as { id?: string; type: string };
    seen.push(`${/^id: run1\.(\d+)$/m.exec(frame)?.[1] ?? '-'}:${event.id ?? event.type}`);
  }
  return seen;
};

describe('a stream of events', () => {
  test('begins with hello and goes on with what is published', async () => {
    const { streams, connect } = setUp();
    const ada = connect('ada');
    streams.publish(() => removed('one'));
    expect(await take(ada, 2)).toEqual(['0:hello', '1:one']);
  });

  test('holds only what is for its reader', async () => {
    const { streams, connect } = setUp();
    const ada = connect('ada');
    const bob = connect('bob');
    streams.publish(({ id }) => (id === 'bob' ? removed('for bob') : undefined));
    streams.publish(() => removed('for all'));
    expect(await take(ada, 2)).toEqual(['0:hello', '2:for all']);
    expect(await take(bob, 3)).toEqual(['0:hello', '1:for bob', '2:for all']);
  });

  test('goes on where a reader left off', async () => {
    const { streams, connect } = setUp();
    for (const name of ['one', 'two', 'three']) streams.publish(() => removed(name));
    expect(await take(connect('ada', 'run1.1'), 2)).toEqual(['2:two', '3:three']);
  });

  test.each([
    ['too long ago', 'run1.0'],
    ['of another run of the server', 'run0.4'],
    ['of the future', 'run1.99'],
    ['nonsense', 'x.y.z'],
  ])('begins anew for an id that is %s', async (_, lastId) => {
    const { streams, connect } = setUp({ replayEvents: 2 });
    for (const name of ['one', 'two', 'three', 'four']) streams.publish(() => removed(name));
    expect(await take(connect('ada', lastId), 1)).toEqual(['4:hello']);
  });

  test('ends for a reader who is too slow, and for nobody else', async () => {
    const { streams, connect, presence } = setUp({ queueBytes: 600 });
    connect('slow');
    const ada = connect('ada');
    expect(await take(ada, 1)).toEqual(['0:hello']);
    for (let index = 1; index <= 40; index += 1) {
      streams.publish(() => removed(`event ${index}`));
      expect(await take(ada, 1)).toEqual([`${index}:event ${index}`]);
    }
    expect(presence).toContain('slow went');
    expect(streams.present()).toEqual(['ada']);
  });

  test('begins with hello however large it is, and goes on', async () => {
    const { streams } = setUp({ queueBytes: 100 });
    const large = removed('x'.repeat(1_000));
    const ada = streams.connect(profile('ada'), '', () => large).getReader();
    streams.publish(() => removed('one'));
    streams.beat();
    expect(await take(ada, 3)).toEqual([`0:${'x'.repeat(1_000)}`, '1:one', '-:beat']);
  });

  test('takes an event larger than the queue when nothing else waits', async () => {
    const { streams, connect } = setUp({ queueBytes: 100 });
    const ada = connect('ada');
    await take(ada, 1);
    streams.publish(() => removed('x'.repeat(1_000)));
    expect(await take(ada, 1)).toEqual([`1:${'x'.repeat(1_000)}`]);
    streams.publish(() => removed('two'));
    expect(await take(ada, 1)).toEqual(['2:two']);
  });

  test('that has ended harms neither those who publish nor the other readers', async () => {
    const { streams, connect } = setUp({ queueBytes: 100 });
    connect('slow');
    const gone = connect('gone');
    const ada = connect('ada');
    await take(ada, 1);
    await gone.cancel();
    for (let index = 1; index <= 9; index += 1) {
      streams.publish(() => removed('x'.repeat(60)));
      streams.beat();
      await take(ada, 2);
    }
    expect(streams.present()).toEqual(['ada']);
  });

  test('begins anew when what was missed is more than the queue', async () => {
    const { streams, connect } = setUp({ queueBytes: 300 });
    for (let index = 0; index < 9; index += 1) streams.publish(() => removed('x'.repeat(60)));
    expect(await take(connect('ada', 'run1.0'), 1)).toEqual(['9:hello']);
  });

  test('begins anew, once, when a beginning was missed', async () => {
    const { streams, connect } = setUp();
    const snapshot = { me: {}, messages: [], readers: [] };
    streams.publish(() => removed('one'));
    for (let index = 0; index < 3; index += 1)
      streams.publish(() => ({ type: 'hello', snapshot }) as unknown as ServerEvent);
    const ada = connect('ada', 'run1.0');
    streams.publish(() => removed('two'));
    expect(await take(ada, 2)).toEqual(['4:hello', '5:two']);
  });

  test('beats without counting', async () => {
    const { streams, connect } = setUp();
    const ada = connect('ada');
    streams.beat();
    streams.publish(() => removed('one'));
    expect(await take(ada, 3)).toEqual(['0:hello', '-:beat', '1:one']);
  });

  test('ends when the streams closes', async () => {
    const { streams, connect } = setUp();
    const ada = connect('ada');
    streams.close();
    expect(await take(ada, 2)).toEqual(['0:hello', 'end']);
  });
});

test('somebody is present from the first connection to the last', async () => {
  const { presence, connect } = setUp();
  const first = connect('ada');
  const second = connect('ada');
  await first.cancel();
  expect(presence).toEqual(['ada came']);
  await second.cancel();
  expect(presence).toEqual(['ada came', 'ada went']);
});
