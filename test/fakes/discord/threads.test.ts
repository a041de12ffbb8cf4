import { expect, test } from 'vitest';
import { startDiscordFake } from './index.ts';
import { request } from './login.ts';

test('in a thread that is archived nothing is deleted', async () => {
  await using discord = await startDiscordFake({ limits: 'off' });
  const channel = discord.guild().channel();
  const thread = channel.startThread(discord.user(), 'aside');
  const ids = ['one', 'two'].map((text) => thread.say(discord.user(), text).id);
  const { body: hook } = await request(discord, `POST /channels/${channel.id}/webhooks`, {
    name: 'x',
  });
  const through = `/webhooks/${String(hook['id'])}/${String(hook['token'])}`;
  const inThread = `thread_id=${thread.id}`;
  await request(discord, `POST ${through}?${inThread}`, { content: 'x' });
  const own = thread.last?.id;
  thread.archive();
  const messages = `/channels/${thread.id}/messages`;
  for (const [what, body] of [
    [`DELETE ${messages}/${ids[0]}`],
    [`POST ${messages}/bulk-delete`, { messages: ids }],
    [`DELETE ${through}/messages/${own}?${inThread}`],
  ] as const)
    expect((await request(discord, what, body)).body).toMatchObject({ code: 50_083 });
  expect(thread.messages).toHaveLength(3);
});
