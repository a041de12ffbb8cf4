import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PATHS } from '../../../src/api/contract.ts';
import type { SpeechFake } from '../../fakes/speech.ts';
import {
  type Events,
  openRecorder,
  startRealWeb,
  startService,
  type Visitor,
  settled,
} from './start-web.ts';

const ADA = 'The weather is beautiful this morning, and we are going to the market.';
const BOB = 'This line may be translated into other languages, of course.';
const SPANISH = 'Hace un tiempo precioso';

/** The texts that the service was asked to translate. */
const translated = ({ seen }: SpeechFake) =>
  seen.flatMap(({ path, form }) =>
    path === PATHS.translate
      ? form.flatMap(([name, value]) => (name === 'text' ? [value] : []))
      : [],
  );

const say = (visitor: Visitor, text: string) =>
  visitor.post('/api/lines', { channel: 'lounge', text });

/** Somebody who reads the lounge in Spanish. */
const readSpanish = async (visitor: Visitor): Promise<Events> => {
  const events = await visitor.events();
  await visitor.post('/api/me', { language: 'es' });
  await events.next((event) =>
    event.type === 'hello' && event.snapshot.me.language === 'es' ? event : undefined,
  );
  return events;
};

/** Presses a button of `/privacy`; resolves when its answer stands. */
const choose = async (visitor: Visitor, press: string): Promise<void> => {
  const events = await visitor.events();
  await visitor.post('/api/uses', { channel: 'playground', command: 'privacy', options: {} });
  const { id } = await events.message(
    ({ controls = [], working }) => !working && controls.some((control) => control.press === press),
  );
  await visitor.post('/api/presses', { id, press, values: [] });
  await events.message((message) => message.id === id && message.working);
  await events.message((message) => message.id === id && !message.working);
  events.close();
};

/** What a newcomer who reads Spanish finds in the lounge. */
const found = async (visitor: Visitor) => {
  const events = await readSpanish(visitor);
  const fresh = await visitor.events();
  const messages = await fresh.next((event) =>
    event.type === 'hello' ? event.snapshot.messages : undefined,
  );
  events.close();
  fresh.close();
  return messages.filter(({ channel }) => channel === 'lounge');
};

test('a line of somebody who opted out is shown as written, and asked of no service', async () => {
  const speech = await startService();
  await using web = await startRealWeb(speech);
  const ada = web.visit();
  await choose(ada, 'privacy out');
  const reader = await readSpanish(web.visit());
  await say(ada, ADA);
  const shown = await reader.message(({ channel }) => channel === 'lounge');
  expect(shown.html).toBe(`<p>${ADA}</p>`);
  expect(await found(web.visit())).toMatchObject([{ html: `<p>${ADA}</p>` }]);
  const bob = web.visit();
  await say(bob, BOB);
  await reader.message(({ html }) => html.includes(BOB));
  await settled(reader);
  expect(translated(speech)).toEqual([BOB]);
});

test('an opt-out ends the work on lines that wait or are being translated', async () => {
  const speech = await startService();
  await using web = await startRealWeb(speech);
  const ada = web.visit();
  const reader = await readSpanish(web.visit());
  speech.fail(PATHS.translate, ...Array.from({ length: 4 }, () => ({ hang: true }) as const));
  for (let line = 0; line < 6; line += 1) await say(ada, `${ADA} ${line}`);
  await expect.poll(() => speech.hanging()).toBe(4);
  await choose(ada, 'privacy out');
  await expect.poll(() => speech.hanging()).toBe(0);
  for (let line = 0; line < 6; line += 1)
    expect(await settled(reader)).toMatchObject({ html: '', state: 'same' });
  expect(translated(speech)).toHaveLength(4);
});

test('an opt-out ends what is recognised of a recording, and nothing is from then on', async () => {
  const speech = await startService();
  await using web = await startRealWeb(speech);
  const cookies = new Map<string, string>();
  const ada = web.visit(cookies);
  await ada.request('/');
  const recorder = openRecorder(web.url, cookies);
  const closed = once(recorder, 'close');
  await once(recorder, 'open');
  await choose(ada, 'privacy out');
  expect((await closed)[0]).toBe(1001);
  const [, refusal] = (await once(openRecorder(web.url, cookies), 'unexpected-response')) as [
    unknown,
    IncomingMessage,
  ];
  expect(refusal.statusCode).toBe(403);
});

test('an opt-out takes back the translations there are, also for those who come back', async () => {
  const speech = await startService();
  speech.translate = () => SPANISH;
  await using web = await startRealWeb(speech);
  const ada = web.visit();
  const ken = web.visit();
  const reader = await readSpanish(ken);
  await say(ada, ADA);
  expect((await settled(reader)).html).toContain(SPANISH);
  const lastId = reader.lastId();
  await choose(ada, 'privacy out');
  expect(await settled(reader)).toMatchObject({ html: '', state: 'same' });
  for (const id of [lastId, '']) {
    const again = await ken.events(id);
    const [line] = await again.next((event) =>
      event.type === 'hello'
        ? event.snapshot.messages.filter(({ channel }) => channel === 'lounge')
        : undefined,
    );
    expect(line).toMatchObject({ html: `<p>${ADA}</p>` });
    expect(line?.translation?.html ?? '').toBe('');
    again.close();
  }
});

test('an opt-out holds after a restart, until it is taken back', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-opt-out-'));
  const database = `sqlite:${join(folder, 'a.db')}`;
  const speech = await startService();
  const cookies = new Map<string, string>();
  {
    await using web = await startRealWeb(speech, database);
    await choose(web.visit(cookies), 'privacy out');
  }
  await using web = await startRealWeb(speech, database);
  const ada = web.visit(cookies);
  const reader = await readSpanish(web.visit());
  await say(ada, ADA);
  await reader.message(({ channel }) => channel === 'lounge');
  await choose(ada, 'privacy in');
  await say(ada, BOB);
  await settled(reader);
  expect(translated(speech)).toEqual([BOB]);
});
