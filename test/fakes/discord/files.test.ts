import { expect, test } from 'vitest';
import { login, request } from './login.ts';
import { setUp } from './set-up.ts';

test('files carry their bytes, over signed links that end after a day', async () => {
  const { discord, channel, ann } = await setUp();
  await using _ = discord;
  await using bot = await login(discord);
  const room = await bot.client.channels.fetch(channel.id);
  if (!room?.isSendable()) throw new Error('cannot write there');
  const sent = await room.send({ files: [{ attachment: Buffer.from('words'), name: 'a b.txt' }] });
  const [file] = channel.last?.attachments ?? [];
  expect([file?.name, Buffer.from(file?.bytes ?? []).toString()]).toEqual(['a_b.txt', 'words']);
  const url = sent.attachments.first()?.url ?? '';
  expect(await (await fetch(url)).text()).toBe('words');
  expect((await fetch(url.replace('hm=', 'hm=0'))).status).toBe(404);
  discord.clock.advance(25 * 3_600_000);
  expect((await fetch(url)).status).toBe(404);
  const again = await room.messages.fetch({ message: sent.id, force: true });
  expect((await fetch(again.attachments.first()?.url ?? '')).status).toBe(200);
  const voice = channel.say(ann, '', { voice: { bytes: Buffer.from('OggS'), durationSecs: 1.5 } });
  const heard = await room.messages.fetch(voice.id);
  expect(heard.flags.has('IsVoiceMessage') && heard.attachments.first()?.duration).toBe(1.5);
  voice.loseFiles();
  expect((await fetch(voice.attachments[0]?.url ?? '')).status).toBe(404);
});

test('too large a file and too large a request are refused with 40005', async () => {
  const { discord, channel, post } = await setUp({ fileLimitBytes: 1000 });
  await using _ = discord;
  for (const size of [1001, 26 * 1024 * 1024]) {
    const form = new FormData();
    form.append('payload_json', '{}');
    form.append('files[0]', new Blob([new Uint8Array(size)]), 'a.bin');
    const answer = await request(discord, post, form);
    expect([answer.status, answer.body['code']]).toEqual([413, 40005]);
  }
  expect(channel.messages).toEqual([]);
});

test('a voice message of the bot needs its waveform and duration, and nothing else', async () => {
  const { discord, channel, post } = await setUp();
  await using _ = discord;
  const send = async (attachment: object, more = {}) => {
    const form = new FormData();
    const body = { flags: 8192, attachments: [{ id: '0', ...attachment }], ...more };
    form.append('payload_json', JSON.stringify(body));
    form.append('files[0]', new Blob(['OggS'], { type: 'audio/ogg' }), 'voice-message.ogg');
    return (await request(discord, post, form)).body['code'];
  };
  const whole = { waveform: 'AAAA', duration_secs: 1 };
  expect(await send({})).toBe(50162);
  expect(await send(whole, { content: 'and text' })).toBe(50159);
  expect(await send(whole)).toBeUndefined();
  expect(channel.last?.attachments[0]).toMatchObject({ waveform: 'AAAA', durationSecs: 1 });
});

test('an edit keeps the files that it names, and cannot leave nothing', async () => {
  const { discord, channel, post } = await setUp();
  await using _ = discord;
  const form = new FormData();
  form.append('payload_json', '{"content":"x"}');
  form.append('files[0]', new Blob(['a']), 'a.txt');
  form.append('files[1]', new Blob(['b']), 'b.txt');
  const { body } = await request(discord, post, form);
  const path = `PATCH /channels/${channel.id}/messages/${String(body['id'])}`;
  const [first] = body['attachments'] as { id: string }[];
  await request(discord, path, { content: 'y' });
  expect(channel.last?.attachments).toHaveLength(2);
  await request(discord, path, { attachments: [{ id: first?.id }] });
  expect(channel.last?.attachments.map((one) => one.name)).toEqual(['a.txt']);
  const empty = await request(discord, path, { content: '', attachments: [] });
  expect(empty.body['code']).toBe(50006);
});
