import { expect, test } from 'vitest';
import { createChannelLog, type Posting } from '../../../adapters/web/channel-log.ts';
import type { EventFor } from '../../../adapters/web/event-streams.ts';
import { OURSELVES } from '../../../adapters/web/platform.ts';
import type { Profile } from '../../../adapters/web/profiles.ts';

const posting = (html: string, part: Partial<Posting> = {}): Posting => ({
  channel: 'playground',
  author: { id: 'ada', name: 'Ada', ours: false },
  html,
  tone: 'plain',
  files: [],
  working: false,
  ...part,
});

const setUp = (limits = { messages: 3, bytes: 100_000 }) => {
  const events: EventFor[] = [];
  const channelLog = createChannelLog(
    (event) => events.push(event),
    () => 1_000,
    limits,
  );
  const shown = (id = 'ada') => channelLog.visibleTo(id).map(({ html }) => html);
  const seenBy = (id: string) => events.map((event) => event({ id } as Profile)?.type);
  return { channelLog, shown, seenBy };
};

test('keeps the last messages of each channel', () => {
  const { channelLog, shown } = setUp();
  channelLog.add(posting('other', { channel: 'lounge' }));
  for (const html of ['1', '2', '3', '4']) channelLog.add(posting(html));
  expect(shown()).toEqual(['other', '2', '3', '4']);
  expect(channelLog.inChannel('playground')).toHaveLength(3);
});

test('keeps no more text than is allowed, but always the newest', () => {
  const { channelLog, shown } = setUp({ messages: 100, bytes: 3_000 });
  channelLog.add(posting('a'.repeat(900)));
  channelLog.add(posting('b'.repeat(900)));
  channelLog.add(posting('c'.repeat(900)));
  expect(shown().map(([first]) => first)).toEqual(['b', 'c']);
  channelLog.add(posting('d'.repeat(9_000)));
  expect(shown().map(([first]) => first)).toEqual(['d']);
});

test('counts a message that grows and shrinks at its present size', () => {
  const { channelLog, shown } = setUp({ messages: 100, bytes: 3_000 });
  const { message } = channelLog.add(posting('a'));
  for (let index = 0; index < 20; index += 1)
    channelLog.change(message.id, { html: 'x'.repeat(900) });
  channelLog.add(posting('b'));
  expect(shown()).toHaveLength(2);
});

test('shows and tells what is for one member to nobody else', () => {
  const { channelLog, shown, seenBy } = setUp();
  const { message } = channelLog.add(posting('secret', { onlyFor: 'ada' }));
  channelLog.remove(message.id);
  expect(seenBy('ada')).toEqual(['message', 'removed']);
  expect(seenBy('bob')).toEqual([undefined, undefined]);
  channelLog.add(posting('for ada', { onlyFor: 'ada' }));
  expect(shown('bob')).toEqual([]);
  expect(channelLog.visibleTo('ada')[0]?.onlyYou).toBe(true);
});

test('knows nothing of what is gone', () => {
  const { channelLog, seenBy } = setUp();
  const { message } = channelLog.add(posting('a'));
  channelLog.remove(message.id);
  channelLog.remove(message.id);
  expect(channelLog.change(message.id, { html: 'b' })).toBeUndefined();
  expect(channelLog.find(message.id)).toBeUndefined();
  expect(seenBy('ada')).toEqual(['message', 'removed']);
});

test('counts the options of a used command, and what is kept elsewhere, with a message', () => {
  const { channelLog, shown } = setUp({ messages: 100, bytes: 3_000 });
  const options = [{ name: 'text', value: 'x'.repeat(900) }];
  for (const html of ['1', '2', '3'])
    channelLog.add(posting(html, { use: { command: 'say', options } }));
  expect(shown()).toEqual(['2', '3']);
  const { message } = channelLog.add(posting('4'));
  channelLog.weigh(message.id, 1_900);
  channelLog.weigh(message.id, 1_900);
  expect(shown()).toEqual(['4']);
  channelLog.weigh(message.id, 0);
  channelLog.add(posting('5'));
  channelLog.add(posting('6'));
  expect(shown()).toEqual(['4', '5', '6']);
});

test('drops a file with its last message, or once that no longer has it', () => {
  const dropped: string[] = [];
  const channelLog = createChannelLog(
    () => undefined,
    () => 1_000,
    { messages: 2, bytes: 100_000 },
    (id) => dropped.push(id),
  );
  const file = (id: string) => ({ id, name: id, mediaType: 'text/plain', sizeBytes: 1 });
  const { message } = channelLog.add(posting('1', { files: [file('a'), file('b')] }));
  channelLog.change(message.id, { files: [file('b'), file('c')] });
  expect(dropped).toEqual(['a']);
  const shared = channelLog.add(posting('2', { files: [file('c')] }));
  channelLog.add(posting('3', { files: [file('d')] }));
  expect(dropped).toEqual(['a', 'b']);
  expect(channelLog.change(message.id, { files: [file('e')] })).toBeUndefined();
  channelLog.remove(shared.message.id);
  expect(dropped).toEqual(['a', 'b', 'e', 'c']);
  expect([channelLog.withFile('c'), channelLog.withFile('d')?.message.html]).toEqual([
    undefined,
    '3',
  ]);
});

test('knows whose an answer is also when what it answers was displaced', () => {
  const { channelLog } = setUp();
  const asked = channelLog.add(posting('asked'));
  const answer = posting('answer', { author: OURSELVES, owner: 'ada', replyTo: asked.message.id });
  channelLog.add(answer);
  for (const html of ['2', '3'])
    channelLog.add(posting(html, { author: { id: 'bob', name: 'Bob', ours: false } }));
  expect(channelLog.of('ada').map(({ message }) => message.html)).toEqual(['answer']);
});
