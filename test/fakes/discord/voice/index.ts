/**
 * Discord's voice servers for the fake, for the unmodified @discordjs/voice: voice gateway version 8
 * over TLS, and RTP over UDP, on loopback. They start when the bot first joins a channel.
 *
 *     const lounge = discord.guild().channel({ type: 'voice' });
 *     const ann = lounge.join(discord.user({ name: 'ann' }));
 *     // the bot joins `lounge`
 *     await ann.speak(readFileSync('speech.opus'), { speed: 10, lossPercent: 2 });
 *     await lounge.recorded.until((packets) => packets.length > 50);
 *     discord.voice.close(4014);
 *
 * This process trusts their certificate from the first join on; other programs are started with
 * NODE_EXTRA_CA_CERTS=VOICE_CERTIFICATE_PATH.
 */
export { createVoice } from './driver.ts';
export type { Voice, VoiceDriver } from './driver.ts';
export type { PersonOptions, VoicePerson } from './person.ts';
export type { Recording } from './recording.ts';
export type { VoiceServiceOptions } from './service.ts';
export { VOICE_CERTIFICATE_PATH } from './trust.ts';
