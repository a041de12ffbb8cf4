/**
 * Our own Discord on loopback, for the unmodified discord.js: REST, files and gateway on one port,
 * everything in memory. It refuses what Discord refuses, and keeps Discord's limits.
 *
 *     await using discord = await startDiscordFake();
 *     const channel = discord.guild().channel({ name: 'talk' });
 *     // start the bot with DISCORD_API_URL=discord.url and DISCORD_TOKEN=discord.token
 *     channel.say(discord.user({ name: 'ann' }), 'hello');
 *     await channel.until((messages) => messages.length === 2);
 *
 * Voice channels, and the people who speak there: voice/index.ts.
 */
export { startDiscordFake } from './start.ts';
export type { DiscordFake, DiscordFakeOptions } from './start.ts';
export type { FakeChannel } from './driver/channel.ts';
export type { FakeGuild } from './driver/guild.ts';
export type { FakeInteraction } from './driver/interaction.ts';
export type { FakeMessage } from './driver/message.ts';
export type { FakeUser } from './driver/user.ts';
export { VOICE_CERTIFICATE_PATH } from './voice/index.ts';
export type { VoicePerson } from './voice/index.ts';
