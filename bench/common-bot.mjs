// The bot that people write first: it translates in the event handler, and keeps nothing.
import { Client, GatewayIntentBits } from 'discord.js';

const { DISCORD_TOKEN, DISCORD_API_URL, SPEECH_API_URL, SPEECH_API_KEY } = process.env;

const client = new Client({
  intents: [
    GatewayIntentBits.Guilds,
    GatewayIntentBits.GuildMessages,
    GatewayIntentBits.MessageContent,
  ],
  rest: { api: DISCORD_API_URL, globalRequestsPerSecond: 10_000 },
});

const answer = async (message) => {
  const body = new FormData();
  body.set('text', message.content);
  body.set('source_lang', 'en');
  body.set('target_lang', 'ja');
  const response = await fetch(`${SPEECH_API_URL}/translate/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SPEECH_API_KEY}` },
    body,
  });
  const { choices } = await response.json();
  await message.reply(choices[0].message.content);
};

client.on('messageCreate', (message) => {
  if (!message.author.bot) answer(message).catch(console.error);
});

await client.login(DISCORD_TOKEN);
