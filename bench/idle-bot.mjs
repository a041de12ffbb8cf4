// A bot of the common libraries that is connected and does nothing.
const { DISCORD_TOKEN, DISCORD_API_URL, SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_API_URL } =
  process.env;

if (DISCORD_TOKEN) {
  const { Client, GatewayIntentBits } = await import('discord.js');
  const client = new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.MessageContent,
    ],
    rest: { api: DISCORD_API_URL },
  });
  await client.login(DISCORD_TOKEN);
}
if (SLACK_BOT_TOKEN) {
  const { default: bolt } = await import('@slack/bolt');
  const app = new bolt.App({
    token: SLACK_BOT_TOKEN,
    appToken: SLACK_APP_TOKEN,
    socketMode: true,
    clientOptions: { slackApiUrl: `${SLACK_API_URL}/api/` },
  });
  await app.start();
}
setInterval(() => {}, 60_000);
