import { describe, expect, test, vi } from 'vitest';
import { type Events, startWeb, type Visitor, settled } from './start-web.ts';
import { sentence } from '../../fakes/sentences.ts';
import type { LogEntry } from '../../../adapters/web/channel-log.ts';
import { createLineQueue, type LineJob } from '../../../adapters/web/line-queue.ts';

const say = (visitor: Visitor, text: string) =>
  visitor.post('/api/lines', { channel: 'lounge', text });

/** A reader who is there, and reads in `language`. */
const read = async (visitor: Visitor, language: string): Promise<Events> => {
  const events = await visitor.events();
  await visitor.post('/api/me', { language });
  await events.next((event) =>
    event.type === 'hello' && event.snapshot.me.language === language ? event : undefined,
  );
  return events;
};

describe('a line in the lounge', () => {
  test('is read by each in their own language, asked for once a language', async () => {
    const { core, visit } = await startWeb();
    const writer = visit();
    const spanish = await read(writer, 'es');
    const alsoSpanish = await read(visit(), 'es');
    const japanese = await read(visit(), 'ja');
    await say(writer, 'Hello');
    for (const events of [spanish, alsoSpanish])
      expect(await settled(events)).toMatchObject({ language: 'es', html: '<p>es: Hello</p>' });
    expect(await settled(japanese)).toMatchObject({ language: 'ja', html: '<p>ja: Hello</p>' });
    expect(core.lines).toEqual([{ text: 'Hello', languages: ['es', 'ja'] }]);
  });

  test('grows', async () => {
    const { core, visit } = await startWeb();
    const visitor = visit();
    const events = await read(visitor, 'es');
    await say(visitor, 'slowly now');
    const growing = await events.next((event) =>
      event.type === 'translation' && event.translation.html !== '' ? event.translation : undefined,
    );
    expect(growing).toMatchObject({ state: 'growing', html: '<p>es: slo</p>' });
    core.step();
    expect((await settled(events)).html).toBe('<p>es: slowly now</p>');
  });

  test('stays as it is for those who read its language', async () => {
    const visitor = (await startWeb()).visit();
    const events = await read(visitor, 'es');
    await say(visitor, 'es: Hola');
    expect(await settled(events)).toMatchObject({ state: 'same' });
  });

  test('stays as it is, with the reason, when it cannot be translated, and the log says so', async () => {
    const web = await startWeb();
    const warn = vi.spyOn(web.core.log, 'warn');
    const visitor = web.visit();
    const events = await read(visitor, 'fr');
    await say(visitor, 'Hello');
    const failed = await settled(events);
    expect(failed.state).toBe('failed');
    expect(failed.reason).toBe(sentence('reasons.unavailable'));
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ language: 'fr', code: 'unavailable' }),
      expect.any(String),
    );
  });
});

describe('lines in the lounge', () => {
  test('are refused to a member of whom many wait for their translation already', async () => {
    const { core, visit } = await startWeb();
    const writer = visit();
    const events = await read(writer, 'es');
    for (let line = 0; line < 10; line += 1)
      expect((await say(writer, `slowly ${line}`)).status).toBe(202);
    const refused = await say(writer, 'one more');
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({
      error: sentence('web.errors.too-many-lines'),
    });
    expect((await say(visit(), 'slowly too')).status).toBe(202);
    for (let line = 0; line < 4; line += 1) core.step();
    await settled(events);
    await expect.poll(async () => (await say(writer, 'again')).status).toBe(202);
  });

  test('fail when the translation breaks down, and nothing else does', async () => {
    const { core, visit } = await startWeb();
    const visitor = visit();
    const events = await read(visitor, 'es');
    vi.spyOn(core, 'translateLine').mockImplementationOnce(() => {
      throw new Error('broken');
    });
    await say(visitor, 'Hello');
    expect(await settled(events)).toMatchObject({ state: 'failed' });
    await say(visitor, 'Hello again');
    expect(await settled(events)).toMatchObject({ html: '<p>es: Hello again</p>' });
  });
});

describe('somebody who comes later', () => {
  test('finds what is translated already, and has the rest translated', async () => {
    const { core, visit } = await startWeb();
    const writer = visit();
    const first = await read(writer, 'es');
    await say(writer, 'Hello');
    await settled(first);

    const reader = visit();
    const events = await reader.events();
    expect(await settled(events)).toMatchObject({ language: 'en', html: '<p>en: Hello</p>' });
    await reader.post('/api/me', { language: 'es' });
    const snapshot = await events.next((event) =>
      event.type === 'hello' ? event.snapshot : undefined,
    );
    expect(snapshot.messages[0]?.translation).toMatchObject({ html: '<p>es: Hello</p>' });
    expect(core.lines.map(({ languages }) => languages)).toEqual([['es'], ['en']]);
  });

  test('has only the last lines translated, the newest first', async () => {
    const { core, visit } = await startWeb();
    const writer = visit();
    for (let line = 0; line < 25; line += 1) await say(writer, `line ${line}`);
    const asked = core.lines.length;
    const events = await visit().events();
    for (let line = 0; line < 20; line += 1) await settled(events);
    expect(core.lines.slice(asked).map(({ text }) => text)).toEqual(
      Array.from({ length: 20 }, (_, line) => `line ${24 - line}`),
    );
  });

  test('is counted among the readers until the last page is closed', async () => {
    const { visit } = await startWeb();
    const staying = await read(visit(), 'es');
    const languages = (count: number) =>
      staying.next((event) =>
        event.type === 'readers' && event.readers.length === count
          ? event.readers.map(({ language }) => language)
          : undefined,
      );
    const leaving = await read(visit(), 'ja');
    expect(await languages(2)).toContain('es');
    leaving.close();
    expect(await languages(1)).toEqual(['es']);
  });
});

describe('a reading language', () => {
  test('is that of the browser until another is chosen', async () => {
    const visitor = (await startWeb()).visit('ja-JP, en;q=0.5');
    const events = await visitor.events();
    const me = await events.next((event) =>
      event.type === 'hello' ? event.snapshot.me : undefined,
    );
    expect(me).toMatchObject({ language: 'ja' });
  });

  test('follows what a command sets', async () => {
    const visitor = (await startWeb()).visit();
    const events = await visitor.events();
    await visitor.post('/api/uses', {
      channel: 'playground',
      command: 'language',
      options: { language: 'ja' },
    });
    const me = await events.next((event) =>
      event.type === 'hello' && event.snapshot.me.language !== 'en' ? event.snapshot.me : undefined,
    );
    expect(me.language).toBe('ja');
  });

  test('is refused when nobody knows it', async () => {
    const visitor = (await startWeb()).visit();
    const reply = await visitor.post('/api/me', { language: 'klingon' });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ error: expect.stringContaining('klingon') });
  });
});

test('a name is shown to everybody, beside what is said from then on', async () => {
  const { visit } = await startWeb();
  const visitor = visit();
  const watching = await visit().events();
  await visitor.events();
  await visitor.post('/api/me', { name: '  Ada  ' });
  await say(visitor, 'Hello');
  const { author } = await watching.message(() => true);
  expect(author.name).toBe('Ada');
});

const jobOf = (id: string, isNew = true): LineJob => {
  const author = { id: 'ada', name: 'Ada', ours: false };
  return { entry: { message: { id, author } } as LogEntry, languages: ['es'], isNew };
};

const setUp = () => {
  const gone = new Set<string>();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const queue = createLineQueue({
    isGone: ({ message }) => gone.has(message.id),
    run: ({ entry }) => {
      begun.push(entry.message.id);
      return new Promise((resolve) => ends.push(resolve));
    },
  });
  const endOne = async (): Promise<void> => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, gone, begun, endOne };
};

test('works on four lines at once, in order, and passes over those that are gone', async () => {
  const { queue, gone, begun, endOne } = setUp();
  for (const id of ['1', '2', '3', '4', '5', '6', '7']) queue.add(jobOf(id));
  expect(begun).toEqual(['1', '2', '3', '4']);
  gone.add('5').add('6');
  await endOne();
  expect(begun).toEqual(['1', '2', '3', '4', '7']);
});

test('lets two hundred wait; lines that are gone make room', () => {
  const { queue, gone } = setUp();
  for (let line = 0; line < 204; line += 1) expect(queue.add(jobOf(`${line}`))).toBe(true);
  expect(queue.add(jobOf('one more'))).toBe(false);
  gone.add('100');
  expect(queue.add(jobOf('one more'))).toBe(true);
  expect(queue.add(jobOf('and another'))).toBe(false);
});

test('counts the new lines of a member until they are done', async () => {
  const { queue, endOne } = setUp();
  for (const id of ['1', '2', '3']) queue.add(jobOf(id));
  queue.add(jobOf('an old one', false));
  expect(queue.of('ada')).toBe(3);
  expect(queue.of('ken')).toBe(0);
  await endOne();
  expect(queue.of('ada')).toBe(2);
});
