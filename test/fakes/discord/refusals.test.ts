import { describe, expect, test } from 'vitest';
import { startDiscordFake } from './index.ts';
import { request } from './login.ts';

const setUp = async () => {
  const discord = await startDiscordFake({ limits: 'off' });
  const guild = discord.guild();
  const channel = guild.channel();
  const ann = discord.user({ name: 'ann' });
  const post = `POST /channels/${channel.id}/messages`;
  return { discord, guild, channel, ann, post };
};

const button = (part: object = {}) => ({ type: 2, style: 1, label: 'x', custom_id: 'a', ...part });
const withControl = (control: object) => ({
  content: 'x',
  components: [{ type: 1, components: [control] }],
});
const ID = '1573312802024587264';
const channels = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: String(BigInt(ID) + BigInt(at)),
    type: 'channel',
  }));

/** A form with files, and what is said of each. */
const form = (count: number, body: object, type = 'text/plain'): FormData => {
  const made = new FormData();
  made.append('payload_json', JSON.stringify(body));
  for (let at = 0; at < count; at += 1)
    made.append(`files[${at}]`, new Blob(['x'], { type }), `file${at}.ogg`);
  return made;
};

const voice = (waveform: string): FormData =>
  form(
    1,
    { flags: 8192, attachments: [{ id: 0, filename: 'a.ogg', waveform, duration_secs: 1 }] },
    'audio/ogg',
  );

test.each<[string, unknown, number]>([
  ['controls with nothing above them', { components: withControl(button()).components }, 50006],
  ['a button whose emoji is none', withControl(button({ emoji: { name: 'nonsense' } })), 50035],
  ['a button with an empty emoji', withControl(button({ emoji: {} })), 50035],
  [
    'a link to what is no page',
    withControl({ type: 2, style: 5, label: 'x', url: 'attachment://x.png' }),
    50035,
  ],
  [
    'a button that sells and has a label',
    withControl({ type: 2, style: 6, sku_id: ID, label: 'x' }),
    50035,
  ],
  [
    'more channels chosen than may be',
    withControl({ type: 8, custom_id: 's', max_values: 1, default_values: channels(2) }),
    50035,
  ],
  [
    'a role chosen among channels',
    withControl({ type: 8, custom_id: 's', default_values: [{ id: ID, type: 'role' }] }),
    50035,
  ],
  [
    'at least three of at most two channels',
    withControl({ type: 8, custom_id: 's', min_values: 3, max_values: 2 }),
    50035,
  ],
  ['one person named twice', { content: 'x', allowed_mentions: { users: [ID, ID] } }, 50035],
  ['eleven files', form(11, { content: 'x' }), 30015],
  ['a waveform that is no base64', voice('not/base-64!'), 50035],
  ['a waveform of 257 points', voice(Buffer.alloc(257).toString('base64')), 50035],
])('refuses %s', async (_what, body, code) => {
  const { discord, channel, post } = await setUp();
  await using _ = discord;
  expect((await request(discord, post, body)).body['code']).toBe(code);
  expect(channel.messages).toEqual([]);
});

test('takes the same where it is right', async () => {
  const { discord, channel, post } = await setUp();
  await using _ = discord;
  const bodies = [
    withControl(button({ emoji: { name: '🎧' } })),
    withControl({ type: 2, style: 5, label: 'x', url: 'https://example.org' }),
    withControl({ type: 8, custom_id: 's', max_values: 2, default_values: channels(2) }),
    form(10, { content: 'x' }),
    voice(Buffer.alloc(256).toString('base64')),
  ];
  for (const body of bodies) expect((await request(discord, post, body)).status).toBe(200);
  expect(channel.messages).toHaveLength(bodies.length);
});

test('refuses an edit that leaves eleven files', async () => {
  const { discord, channel, post } = await setUp();
  await using _ = discord;
  const { body } = await request(discord, post, form(10, { content: 'x' }));
  const edit = `PATCH /channels/${channel.id}/messages/${String(body['id'])}`;
  expect((await request(discord, edit, form(1, {}))).body['code']).toBe(30015);
  expect(channel.last?.attachments).toHaveLength(10);
});

test('refuses to delete a message twice at once', async () => {
  const { discord, channel, ann } = await setUp();
  await using _ = discord;
  const { id } = channel.say(ann, 'x');
  const remove = `POST /channels/${channel.id}/messages/bulk-delete`;
  expect((await request(discord, remove, { messages: [id, id] })).body['code']).toBe(50035);
  expect(channel.messages).toHaveLength(1);
});

test('refuses a history from both ends', async () => {
  const { discord, channel } = await setUp();
  await using _ = discord;
  const both = `GET /channels/${channel.id}/messages?before=${ID}&after=1`;
  expect((await request(discord, both)).body['code']).toBe(50035);
});

test.each(['1', '#', '🇯🇵🇯🇵', ID])('refuses the reaction %s', async (emoji) => {
  const { discord, channel, ann } = await setUp();
  await using _ = discord;
  const said = channel.say(ann, 'x');
  const put = `PUT /channels/${channel.id}/messages/${said.id}/reactions`;
  const { body } = await request(discord, `${put}/${encodeURIComponent(emoji)}/@me`);
  expect(body['code']).toBe(10014);
  expect(said.reactions).toEqual([]);
});

describe('a thread', () => {
  test.each([
    ['with a blank name', 'text', { name: '  ', type: 11 }, 50035],
    ['of announcements in a plain channel', 'text', { name: 'x', type: 10 }, 50024],
    ['of a plain kind among announcements', 'announcement', { name: 'x', type: 11 }, 50024],
  ] as const)('%s is refused', async (_what, kind, body, code) => {
    const { discord, guild } = await setUp();
    await using _ = discord;
    const { id } = guild.channel({ type: kind });
    expect((await request(discord, `POST /channels/${id}/threads`, body)).body['code']).toBe(code);
  });

  test('that was archived is listed in pages, the latest first', async () => {
    const { discord, channel, ann } = await setUp();
    await using _ = discord;
    for (const name of ['a', 'b', 'c']) {
      discord.clock.advance(1_000);
      channel.startThread(ann, name).archive();
    }
    const list = `GET /channels/${channel.id}/threads/archived/public?limit=2`;
    const page = async (query = '') => {
      const { body } = await request(discord, list + query);
      const threads = body['threads'] as {
        readonly name: string;
        readonly thread_metadata: { readonly archive_timestamp: string };
      }[];
      const last = threads.at(-1)?.thread_metadata.archive_timestamp ?? '';
      return { names: threads.map(({ name }) => name).join(''), more: body['has_more'], last };
    };
    const first = await page();
    expect(first).toMatchObject({ names: 'cb', more: true });
    const rest = await page(`&before=${encodeURIComponent(first.last)}`);
    expect(rest).toMatchObject({ names: 'a', more: false });
  });
});

test('servers are listed 200 at a time', async () => {
  await using discord = await startDiscordFake({ limits: 'off' });
  const ids = Array.from({ length: 201 }, () => discord.guild().id);
  const list = async (query: string) => {
    const { body } = await request(discord, `GET /users/@me/guilds?${query}`);
    return (body as unknown as { id: string }[]).map(({ id }) => id);
  };
  expect(await list('limit=200')).toEqual(ids.slice(0, 200));
  expect(await list(`limit=200&after=${ids[199]}`)).toEqual(ids.slice(200));
  const tooMany = await request(discord, 'GET /users/@me/guilds?limit=201');
  expect(tooMany.body['code']).toBe(50035);
});

describe('a command', () => {
  const typed = (option: object) => [
    { name: 'say', description: 'x', options: [{ name: 'text', description: 'x', ...option }] },
  ];

  test.each([
    ['at least five of at most two letters', { type: 3, min_length: 5, max_length: 2 }],
    ['a least number above the most', { type: 10, min_value: 5, max_value: 2 }],
    ['a whole number from one and a half', { type: 4, min_value: 1.5 }],
    ['channels of an unknown kind', { type: 7, channel_types: [99] }],
  ])('with %s is refused', async (_what, option) => {
    await using discord = await startDiscordFake();
    const put = `PUT /applications/${discord.applicationId}/commands`;
    expect((await request(discord, put, typed(option))).body['code']).toBe(50035);
  });

  test('is told in other languages only where that is asked for', async () => {
    await using discord = await startDiscordFake();
    const route = `/applications/${discord.applicationId}/commands`;
    const [say] = typed({ type: 3, description_localizations: { de: 'y' } });
    await request(discord, `PUT ${route}`, [{ ...say, name_localizations: { de: 'sag' } }]);
    const all = async (query: string) =>
      JSON.stringify((await request(discord, `GET ${route}${query}`)).body);
    expect(await all('')).not.toContain('_localizations');
    const asked = await all('?with_localizations=true');
    expect(asked).toContain('"name_localizations":{"de":"sag"}');
    expect(asked).toContain('"description_localizations":{"de":"y"}');
  });

  test('cannot be answered by its id', async () => {
    const { discord, channel, ann } = await setUp();
    await using _ = discord;
    const put = `PUT /applications/${discord.applicationId}/commands`;
    await request(discord, put, [{ name: 'say', description: 'x' }]);
    const { state } = discord.command(ann, { channel, name: 'say' });
    const callback = `POST /interactions/${state.id}/${state.token}/callback`;
    await request(discord, callback, { type: 5 });
    const answer = async (key: string) =>
      request(discord, `POST /webhooks/${discord.applicationId}/${key}`, { content: 'x' });
    expect((await answer(state.id)).body['code']).toBe(10015);
    expect((await answer(state.token)).status).toBe(200);
  });
});
