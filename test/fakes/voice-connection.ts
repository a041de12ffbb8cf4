import { getGroups, type VoiceConnection } from '@discordjs/voice';

/** The connection to a server that the library keeps for an adapter of this program. */
export const voiceConnectionTo = (guildId: string): VoiceConnection | undefined =>
  getGroups()
    .values()
    .map((connections) => connections.get(guildId))
    .find((connection) => connection !== undefined);
