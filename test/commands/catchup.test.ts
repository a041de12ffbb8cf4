import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/model/message.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import { HERE, labelled, SPACE } from '../fakes/command-harness.ts';
import { sentence } from '../fakes/sentences.ts';
import { lines, linesIn, secondsAgo, written } from './catchup/support.ts';
import { BOB, useCommandHarness } from './support.ts';

const harness = useCommandHarness();
const charactersOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, { text }) => sum + plainText(text).length, 0);
const READER = { member: { ...BOB, locale: 'ja' } };

describe('/catchup', () => {
  it('shows what was written since the person’s last message, in their language', async () => {
    const bob = { id: 'bob', name: 'Bob', kind: 'person' } as const;
    harness().script.messages = [
      written('old', 9),
      written('mine', 8, bob),
      written('new', 7),
      written('newer', 6),
    ];
    const { text } = await harness().run('catchup', {}, READER);
    expect(text).toMatch(/\*\*Cat\*\*: ja:new\n.* ja:newer/);
    expect(text).not.toContain('old');
    expect(text).not.toContain('mine');
  });

  it('shows the last day to who has written nothing, or longer ago', async () => {
    const bob = { id: 'bob', name: 'Bob', kind: 'person' } as const;
    const old = [written('mine', 3 * 1_440, bob), written('long ago', 2 * 1_440)];
    harness().script.messages = [...old, written('today', 60)];
    const { text } = await harness().run('catchup', {}, READER);
    expect(text).toContain('ja:today');
    expect(text).not.toContain('long ago');
  });

  it('shows a time and a language that are chosen', async () => {
    harness().script.messages = [written('long ago', 90), written('just now', 5)];
    const { text } = await harness().run('catchup', { since: '1h', to: 'fr' }, READER);
    expect(text).toContain('fr:just now');
    expect(text).not.toContain('long ago');
  });

  // It is 13:00.
  it.each([
    ['yesterday', 37],
    ['Gestern', 37],
    ['heute', 13],
    ['2d', 48],
  ])('understands the day that was typed, from its beginning on: %s', async (since, hours) => {
    const [last, first] = [hours * 60 + 1, hours * 60].map((minutes) =>
      written('line 1.', minutes),
    );
    harness().script.messages = [last!, first!];
    const asking = { member: { ...BOB, locale: 'de' } };
    const { text } = await harness().run('catchup', { since, to: 'fr' }, asking);
    expect(text).toContain(`<t:${secondsAgo(hours * 60)}:f>`);
    expect(linesIn(text)).toHaveLength(1);
  });

  it.each([
    ['today', 'America/Los_Angeles', 6],
    ['today', 'Pacific/Auckland', 1],
    ['yesterday', 'Pacific/Auckland', 25],
    ['today', 'Nowhere/At_All', 13],
  ])('begins the day in the time zone of the person: %s in %s', async (since, timeZone, hours) => {
    const { text } = await harness().run('catchup', { since }, { member: { ...BOB, timeZone } });
    expect(text).toContain(`<t:${secondsAgo(hours * 60)}:f>`);
  });

  it.each(['en', 'de', 'es', 'fr', 'ja', 'ko', 'pt', 'zh', 'zh-TW'])(
    'has in its help how far back it can go, in %s',
    async (locale) => {
      const asking = { member: { ...BOB, locale } };
      const { text } = await harness().run('help', { command: 'catchup' }, asking);
      const day = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
      const days = [0, -1].map((at) => day.format(at, 'day'));
      for (const since of ['1h', '6h', '1d', '2d', '3d', '7d', ...days])
        expect(text).toContain(since);
    },
  );

  it('names words that can be typed where one is not understood', async () => {
    const { text } = await harness().run('catchup', { since: 'Easter', to: 'fr' });
    expect(text).toContain('`yesterday`');
  });

  it('begins at the message in whose menu it is chosen', async () => {
    harness().script.messages = lines(5);
    const { text } = await harness().run('catchup', {}, { ...READER, on: lines(5)[2]! });
    expect(linesIn(text)).toEqual(['line 3.', 'line 4.', 'line 5.']);
  });

  it('begins at a message of somebody who opted out as at any other', async () => {
    harness().script.messages = lines(5);
    const on = { ...lines(5)[2]!, author: { id: 'eve', name: 'Eve', kind: 'person' } } as const;
    await harness().services.privacy.setOptedOut({ platform: 'test', id: 'eve' }, true);
    const { text } = await harness().run('catchup', {}, { ...READER, on });
    expect(text).not.toContain(sentence('errors.author-opted-out'));
    expect(linesIn(text).length).toBeGreaterThan(0);
  });

  it('says where nothing was missed, and how to look further back', async () => {
    const { text, tone } = await harness().run('catchup', {}, READER);
    const none = sentence('catchup.none', { since: `<t:${secondsAgo(1_440)}:f>` }, 'ja');
    const threads = sentence('catchup.older-threads', { threads: 'channels' }, 'ja');
    expect(text).toBe(`${none}\n${sentence('catchup.further', {}, 'ja')}\n${threads}`);
    expect(tone).toBe('note');
    const chosen = await harness().run('catchup', { since: '7d' });
    const since = { since: `<t:${secondsAgo(7 * 1_440)}:f>` };
    const older = sentence('catchup.older-threads', { threads: 'channels' });
    expect(chosen.text).toBe(`${sentence('catchup.none', since)}\n${older}`);
    const inThread = { ...HERE, id: 'thread', parentId: HERE.id };
    const there = await harness().run('catchup', { since: '7d' }, { channel: inThread });
    expect(there.text).toBe(sentence('catchup.none', since));
  });

  it('says how many messages of people who opted out are left out', async () => {
    harness().script.leftOut = 2;
    const left = sentence('catchup.left-out', { count: 2 });
    expect((await harness().run('catchup', {})).text).toContain(left);
    harness().script.messages = lines(3);
    expect((await harness().run('catchup', {})).text).toContain(left);
  });

  it('says since when it was asked for, whenever the first message was written', async () => {
    harness().script.messages = [
      written('mine', 50, { id: 'bob', name: 'Bob', kind: 'person' }),
      ...lines(2),
    ];
    const since = (minutesAgo: number) => `<t:${secondsAgo(minutesAgo)}:f>`;
    const of = async (options: object, asking: object = {}) =>
      (await harness().run('catchup', { to: 'es', ...options }, asking)).text.split('\n')[0];
    expect(await of({ since: '1h' })).toContain(since(60));
    expect(await of({}, READER)).toContain(since(50));
    expect(await of({}, { on: lines(2)[0]! })).toContain(since(2));
  });

  it('checks rights, deletions and opt-outs again for what was read before', async () => {
    harness().script.messages = lines(12);
    await harness().run('catchup', { to: 'es' });
    const next = await harness().press('catchup.later');
    const back = labelled(next, 'catchup.earlier')!.press;
    harness().script.messages = lines(12).slice(2);
    harness().script.leftOut = 1;
    const { text } = await harness().pressNamed(back);
    expect(linesIn(text)).toEqual(Array.from({ length: 8 }, (_, at) => `line ${at + 3}.`));
    expect(text).toContain(sentence('catchup.left-out', { count: 1 }));
    harness().script.readsHistory = false;
    expect(linesIn((await harness().pressNamed(back)).text)).toEqual([]);
  });

  it('is read in another language for once, which a button keeps', async () => {
    harness().script.messages = lines(25);
    const reader = { member: BOB };
    const chosen = () => {
      const menu = labelled(harness().shown.at(-1), 'catchup.language');
      return menu?.kind === 'choice' ? menu.choices.find((one) => one.chosen)?.value : undefined;
    };
    const own = async () =>
      (await harness().services.settings.of({ ...BOB, platform: SPACE.platform })).language;
    await harness().run('catchup', { to: 'es' }, reader);
    await harness().press('catchup.later', [], reader);
    expect(chosen()).toBe('es');
    const { text, controls } = await harness().press('catchup.language', ['fr'], reader);
    expect(text).toContain('fr:line 11.');
    expect([chosen(), await own()]).toEqual(['fr', undefined]);
    const label = sentence('catchup.keep-language', { language: 'French' });
    const keep = controls?.find((control) => control.label === label)?.press ?? '';
    expect((await harness().pressNamed(keep, reader)).text).toContain('fr:line 11.');
    expect(await own()).toBe('fr');
  });

  it('offers the language of the person’s app first, then those of the server', async () => {
    harness().script.messages = lines(2);
    await harness().run('autotranslate reply', {
      channel: '<#200>',
      languages: 'Swahili, Persian',
    });
    const reader = { member: { ...BOB, locale: 'en-GB' } };
    const menu = labelled(await harness().run('catchup', {}, reader), 'catchup.language');
    const offered = menu?.kind === 'choice' ? menu.choices.map(({ value }) => value) : [];
    expect(offered.slice(0, 4)).toEqual(['en', 'sw', 'fa', 'es']);
  });

  it('asks for the language where it knows none', async () => {
    harness().script.messages = lines(2);
    const stranger = { member: { ...BOB, locale: 'qqq' } };
    for (const ask of [
      () => harness().run('catchup', {}, stranger),
      () => harness().pressNamed('catchup recent', stranger),
    ]) {
      expect((await ask()).text).toBe(sentence('language.choose'));
      const { text } = await harness().press('language.button', ['fr'], stranger);
      expect(text).toContain('fr:line 1.');
      await harness().run('language', { reset: true }, stranger);
    }
  });

  it('asks before it translates many, and says how many they are', async () => {
    harness().script.messages = lines(443);
    const { text } = await harness().run('catchup', { to: 'es' });
    const characters = charactersOf(lines(443).slice(-300));
    const since = `<t:${secondsAgo(1_440)}:f>`;
    const part = { part: 'newest', count: 300, first: 1, last: 300 };
    const params = { ...part, characters, since, replies: 0, summary: 'no' };
    const many = sentence('catchup.many', params);
    expect(text).toBe(many);
    expect(linesIn((await harness().press('catchup.read')).text)).toHaveLength(10);
    expect((await harness().press('catchup.file')).text).toContain(many);
  });

  it('begins with the newest of many, and from the start where that is wanted', async () => {
    harness().script.messages = lines(443);
    await harness().run('catchup', { to: 'es' });
    const first = await harness().press('catchup.read');
    expect(linesIn(first.text)[0]).toBe('line 144.');
    expect(first.text).toContain(sentence('catchup.cut', { count: 300 }));
    const second = await harness().press('catchup.later');
    expect(labelled(second, 'catchup.start')).toBeUndefined();
    await harness().press('catchup.earlier');
    const asked = await harness().press('catchup.start');
    const part = { part: 'more', count: 300, first: 1, last: 300 };
    const characters = charactersOf(lines(443).slice(0, 300));
    const since = `<t:${secondsAgo(1_440)}:f>`;
    const rest = { since, characters, replies: 0, summary: 'no' };
    expect(asked.text).toBe(sentence('catchup.many', { ...part, ...rest }));
    expect(asked.text).not.toContain(sentence('catchup.cut', { count: 300 }));
    expect(linesIn(asked.text)).toEqual([]);
    expect(linesIn((await harness().press('catchup.read')).text)[0]).toBe('line 1.');
  });

  it('begins far back at the message in whose menu it is chosen, and reads on behind the last page', async () => {
    const all = lines(1_000);
    harness().script.messages = all;
    await harness().run('catchup', { to: 'es' }, { on: all[99]! });
    const first = await harness().press('catchup.read');
    expect(linesIn(first.text)[0]).toBe('line 100.');
    expect(labelled(first, 'catchup.read-on')).toBeUndefined();
    const later = labelled(first, 'catchup.later')!.press;
    const end = later.replace(/[^,]*$/, all[394]!.position);
    const last = await harness().pressNamed(end);
    expect(linesIn(last.text)).toEqual([396, 397, 398, 399].map((at) => `line ${at}.`));
    expect(last.text).toContain(sentence('catchup.next', { count: 300 }));
    expect(linesIn((await harness().press('catchup.read-on')).text)).toEqual([]);
    expect(linesIn((await harness().press('catchup.read')).text)[0]).toBe('line 400.');
    const since = `<t:${secondsAgo(901)}:f>`;
    expect(harness().shown.at(-1)?.text).toContain(since);
  });

  it('counts on behind what was read, to the number of all at the end', async () => {
    const all = lines(750);
    harness().script.messages = all;
    const since = `<t:${secondsAgo(750)}:f>`;
    const heading = (part: string, first: number, last: number, count: number): string => {
      const rest = { language: 'English', replies: 0, translated: 0 };
      return sentence('catchup.page', { part, count, first, last, since, ...rest });
    };
    await harness().run('catchup', {}, { on: all[0]! });
    const parts = [
      ['more', 1, 300],
      ['more', 301, 600],
      ['last', 601, 750],
    ] as const;
    for (const [part, first, last] of parts) {
      const characters = charactersOf(all.slice(first - 1, last));
      const known = { part, count: last, first, last, since, characters };
      const many = sentence('catchup.many', { ...known, replies: 0, summary: 'no' });
      expect(harness().shown.at(-1)?.text).toBe(many);
      const { text, controls = [] } = await harness().press('catchup.read');
      expect(text).toContain(heading(part, first, first + 9, last));
      const end = controls.find(({ press }) => /page:.*next/.test(press))?.press ?? '';
      const at = all[last - 2]!.position;
      const behind = await harness().pressNamed(end.replace(/[^,]*$/, at));
      expect(behind.text).toContain(heading(part, last, last, last));
      if (part === 'more') await harness().press('catchup.read-on');
    }
  });

  it('counts from its own beginning what is written after the newest of many', async () => {
    harness().script.messages = lines(443);
    await harness().run('catchup', { to: 'es' });
    const first = await harness().press('catchup.read');
    const later = [2, 1].map((minutes) => written(`line ${446 - minutes}.`, minutes / 60));
    harness().script.messages = [...lines(443), ...later];
    const turn = labelled(first, 'catchup.later')!.press;
    const last = await harness().pressNamed(turn.replace(/[^,]*$/, lines(443)[439]!.position));
    expect(last.text).toContain(sentence('catchup.next', { count: 300 }));
    const on = await harness().press('catchup.read-on');
    expect(linesIn(on.text)).toEqual(['line 444.', 'line 445.']);
    const since = `<t:${Math.floor(secondsAgo(2 / 60))}:f>`;
    const params = { part: 'all', count: 2, first: 1, last: 2, replies: 0, translated: 2 };
    const rest = { since, language: 'Spanish' };
    expect(on.text).toContain(sentence('catchup.page', { ...params, ...rest }));
  });

  it('reads on behind messages of which none may be shown', async () => {
    const { messages } = harness().services;
    harness().script.messages = lines(400);
    const since = messages.since.bind(messages);
    Object.assign(messages, {
      since: async (...given: Parameters<typeof since>) => ({
        ...(await since(...given)),
        messages: [],
      }),
    });
    const read = await harness().run('catchup', { to: 'es' }, { on: lines(400)[0]! });
    expect(read.text).toContain(sentence('catchup.next', { count: 0 }));
    Object.assign(messages, { since });
    expect(linesIn((await harness().press('catchup.read-on')).text)).toEqual([]);
    expect(linesIn((await harness().press('catchup.read')).text)[0]).toBe('line 301.');
  });

  it('offers another language before many are translated', async () => {
    harness().script.messages = lines(60);
    await harness().run('catchup', { to: 'es' });
    const { text } = await harness().press('catchup.language', ['fr']);
    expect(text).toContain('fr:line 1.');
    expect(linesIn(text)).toHaveLength(10);
  });

  it('shows nothing to who may not see the channel, or not read what was written before', async () => {
    harness().script.messages = lines(25);
    await harness().run('catchup', { to: 'es' });
    const next = labelled(harness().shown.at(-1), 'catchup.later')!.press;
    harness().script.readsHistory = false;
    const history = sentence('errors.channel-history', { channel: '<#100>' });
    expect((await harness().run('catchup', {})).text).toBe(history);
    expect((await harness().pressNamed(next)).text).toBe(history);
    harness().script.access = { [HERE.id]: 'none' };
    for (const press of ['page', 'summary', 'file', 'ask', 'onward']) {
      const { text } = await harness().pressNamed(next.replace('page', press));
      expect(text).toBe(sentence('errors.channel-unseen', { channel: '<#100>' }));
    }
  });

  it.each([
    '',
    'es',
    'es,',
    'es,1',
    'es,1,1,next',
    'es,1,1,up,2',
    'es,1,-1',
    'xx-nothing,1,1',
    'es,<@1>,1',
    '../es,1,1',
  ])('shows nothing for a control that somebody made up: %j', async (arg) => {
    harness().script.messages = lines(3);
    const { text, files } = await harness().pressNamed(`catchup page:${arg}`);
    expect(linesIn(text)).toEqual([]);
    expect(files).toBeUndefined();
  });

  it('is for the people whose roles moderators chose', async () => {
    harness().script.messages = lines(3);
    await harness().services.spaces.change(SPACE, { roles: { catchup: ['readers'] } });
    const { text } = await harness().run('catchup', {}, READER);
    expect(linesIn(text)).toEqual([]);
  });
});
