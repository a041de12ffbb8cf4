import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { PageMessage } from '../../../adapters/web/protocol.ts';
import { sentence } from '../../fakes/sentences.ts';
import { fixture } from '../../src/audio/support.ts';
import {
  type Events,
  openRecorder,
  startRealWeb,
  startService,
  type Visitor,
} from './start-web.ts';

const use = (visitor: Visitor, command: string, options: object = {}) =>
  visitor.post('/api/uses', { channel: 'playground', command, options });

const done = (events: Events, part: (message: PageMessage) => boolean) =>
  events.message((message) => !message.working && message.author.ours && part(message));

const press = async (visitor: Visitor, events: Events, { id }: PageMessage, name: string) => {
  await visitor.post('/api/presses', { id, press: name, values: [] });
  await events.message((message) => message.id === id && message.working);
  return done(events, (message) => message.id === id);
};

const openPrivacy = async (visitor: Visitor, events: Events): Promise<PageMessage> => {
  await use(visitor, 'privacy');
  return done(events, ({ onlyYou }) => onlyYou);
};

const forget = async (visitor: Visitor, events: Events): Promise<PageMessage> => {
  const panel = await openPrivacy(visitor, events);
  await press(visitor, events, panel, 'privacy forget');
  return press(visitor, events, panel, 'privacy sure');
};

const removed = (events: Events) =>
  events.next((event) => (event.type === 'removed' ? event.id : undefined));

const snapshotOf = (events: Events) =>
  events.next((event) => (event.type === 'hello' ? event.snapshot : undefined));

test('who is forgotten is gone from every open page, with files, answers and name', async () => {
  const speech = await startService();
  await using web = await startRealWeb(speech);
  const ada = web.visit();
  const bob = web.visit();
  const [mine, theirs] = [await ada.events(), await bob.events()];
  await ada.post('/api/me', { name: 'Ada' });
  await ada.post('/api/lines', { channel: 'playground', text: 'my own words' });
  const line = await theirs.message(({ html }) => html.includes('my own words'));
  await use(ada, 'say', { text: 'spoken words', language: 'en' });
  const spoken = await done(theirs, ({ files }) => files.length > 0);
  await bob.post('/api/lines', { channel: 'playground', text: 'words of Bob' });
  const kept = await theirs.message(({ html }) => html.includes('words of Bob'));
  const lastId = theirs.lastId();
  const file = `/files/${spoken.files[0]?.id}`;
  expect((await bob.request(file)).status).toBe(200);

  const answer = await forget(ada, mine);
  expect(answer.html).toContain(sentence('privacy.forgotten'));
  const gone = [await removed(theirs), await removed(theirs), await removed(theirs)];
  expect(gone).toContain(line.id);
  expect(gone).toContain(spoken.id);
  expect((await bob.request(file)).status).toBe(404);
  const names = await theirs.next((event) =>
    event.type === 'readers' ? event.readers.map(({ name }) => name) : undefined,
  );
  expect(names).toHaveLength(2);
  expect(names).not.toContain('Ada');
  for (const id of [lastId, '']) {
    const again = await bob.events(id);
    const { messages } = await snapshotOf(again);
    expect(messages.map((message) => message.id)).toEqual([kept.id]);
    again.close();
  }
});

test('every page of who is forgotten is told so, and keeps only the answer', async () => {
  const speech = await startService();
  await using web = await startRealWeb(speech);
  const ada = web.visit();
  const [one, other] = [await ada.events(), await ada.events()];
  await ada.post('/api/lines', { channel: 'lounge', text: 'my own words' });
  await forget(ada, one);
  await other.next((event) => (event.type === 'forgotten' ? event : undefined));
  const { messages } = await snapshotOf(await ada.events());
  expect(messages).toHaveLength(1);
  expect(messages[0]?.html).toContain(sentence('privacy.forgotten'));
});

test('an answer that is still being made is not shown after all, and leaves no file', async () => {
  const speech = await startService();
  await using web = await startRealWeb(speech);
  const ada = web.visit();
  const events = await ada.events();
  speech.fail('/translate/', { hang: true });
  await use(ada, 'translate', { text: 'Good morning, how are you?', to: 'es', from: 'en' });
  await expect.poll(() => speech.hanging()).toBe(1);
  await forget(ada, events);
  await expect.poll(() => speech.hanging()).toBe(0);
  const { messages } = await snapshotOf(await ada.events());
  expect(messages).toHaveLength(1);
});

test('what is kept can be read and downloaded: messages, files, uploads, the name and the last recording', async () => {
  const speech = await startService();
  await using web = await startRealWeb(speech);
  const cookies = new Map<string, string>();
  const ada = web.visit(cookies);
  const events = await ada.events();
  await ada.post('/api/me', { name: 'Ada' });
  await ada.post('/api/lines', { channel: 'lounge', text: 'my own *words*' });
  await use(ada, 'say', { text: 'spoken words', language: 'en' });
  await done(events, ({ files }) => files.length > 0);
  await ada.upload('a\u202E\u0007.wav', new Uint8Array(10));
  const recorder = openRecorder(web.url, cookies);
  await once(recorder, 'open');
  recorder.send(fixture('recorded.webm'));
  recorder.send('end');
  await once(recorder, 'close');
  const panel = await openPrivacy(ada, events);
  const details = await press(ada, events, panel, 'privacy details');
  for (const key of ['privacy.page', 'privacy.browser'] as const)
    expect(details.html.replaceAll(/<[^>]+>/g, '')).toContain(sentence(key).replaceAll('**', ''));
  await press(ada, events, panel, 'privacy show');
  const { files } = await press(ada, events, panel, 'privacy export');
  const { page } = (await (await ada.request(`/files/${files[0]?.id}`)).json()) as {
    page: Record<string, unknown>;
  };
  expect(page).toMatchObject({
    name: 'Ada',
    messages: expect.arrayContaining([
      expect.objectContaining({ channel: 'lounge', text: 'my own *words*' }),
      expect.objectContaining({ files: [expect.objectContaining({ name: 'speech.mp3' })] }),
    ]),
    uploads: [{ name: 'a .wav', mediaType: 'audio/wav', sizeBytes: 10 }],
    recording: { text: 'hello there', language: 'en' },
  });
});

/** The files below a folder that hold one of the words. */
const holding = (folder: string, words: readonly string[]): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => words.some((word) => readFileSync(path).includes(word)));

test('nothing of who is forgotten is on the disk, in the database or at an address that was ever handed out', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-test-'));
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  await using web = await startRealWeb(await startService(), `sqlite:${join(folder, 'data.db')}`);
  const [ada, bob] = [web.visit(), web.visit()];
  const [mine, theirs] = [await ada.events(), await bob.events()];
  const addresses: string[] = [];
  const handOut = ({ files }: PageMessage) => addresses.push(...files.map(({ id }) => id));

  await ada.post('/api/me', { name: 'Adamant', language: 'tlh' });
  await ada.post('/api/lines', { channel: 'lounge', text: 'wordsofmine' });
  await use(ada, 'say', { text: 'wordsofmine', language: 'en' });
  handOut(await done(theirs, ({ files }) => files.length > 0));
  await ada.upload('wordsofmine.wav', Buffer.from('wordsofmine'));
  const panel = await openPrivacy(ada, mine);
  for (const name of ['privacy export', 'privacy forget', 'privacy show', 'privacy export'])
    handOut(await press(ada, mine, panel, name));
  expect(addresses).toHaveLength(3);
  const id = /"member": "([^"]+)"/.exec(await (await ada.request(`/files/${addresses[2]}`)).text());
  const words = ['wordsofmine', 'Adamant', id?.[1] ?? '-'];
  expect(holding(folder, words)).not.toEqual([]);

  await press(ada, mine, panel, 'privacy forget');
  await press(ada, mine, panel, 'privacy sure');
  for (const visitor of [ada, bob, web.visit()])
    for (const address of addresses)
      expect((await visitor.request(`/files/${address}`)).status).toBe(404);
  await expect.poll(() => holding(folder, words)).toEqual([]);
});

test('spoken answers that newer messages displaced are gone too', async () => {
  await using web = await startRealWeb(await startService());
  const [ada, bob] = [web.visit(), web.visit()];
  const theirs = await bob.events();
  await use(ada, 'say', { text: 'spoken words', language: 'en' });
  const spoken = await done(theirs, ({ files }) => files.length > 0);
  const address = `/files/${spoken.files[0]?.id}`;
  for (let line = 0; line < 200; line += 1)
    await bob.post('/api/lines', { channel: 'playground', text: `line ${line}` });
  expect((await ada.request(address)).status).toBe(404);
});

test('a file is served to those alone who may see its message', async () => {
  await using web = await startRealWeb(await startService());
  const cookies = new Map<string, string>();
  const [ada, bob] = [web.visit(cookies), web.visit()];
  const [mine] = [await ada.events(), await bob.events()];
  const panel = await openPrivacy(ada, mine);
  const { files } = await press(ada, mine, panel, 'privacy export');
  const statusFor = async (visitor: Visitor) =>
    (await visitor.request(`/files/${files[0]?.id}`)).status;
  expect(await statusFor(ada)).toBe(200);
  expect([await statusFor(bob), await statusFor(web.visit())]).toEqual([404, 404]);
  expect(await statusFor(web.visit(cookies))).toBe(200);
});
