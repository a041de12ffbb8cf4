import { startDiscordFake } from './index.ts';

/** A Discord with a server, a channel in it, and Ann. */
export const setUp = async (options?: Parameters<typeof startDiscordFake>[0]) => {
  const discord = await startDiscordFake(options);
  const guild = discord.guild();
  const channel = guild.channel();
  return {
    discord,
    guild,
    channel,
    ann: discord.user({ name: 'ann' }),
    post: `POST /channels/${channel.id}/messages`,
  };
};
