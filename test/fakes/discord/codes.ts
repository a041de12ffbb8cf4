import * as discord from 'discord.js';

/** discord.js's enumerations as plain numbers, which is what goes over the wire. */
type Codes<Enumeration> = { readonly [Name in Extract<keyof Enumeration, string>]: number };

export const ChannelType: Codes<typeof discord.ChannelType> = discord.ChannelType;
export const MessageFlags: Codes<typeof discord.MessageFlags> = discord.MessageFlags;
export const ApplicationFlags: Codes<typeof discord.ApplicationFlags> = discord.ApplicationFlags;
export const Intent: Codes<typeof discord.GatewayIntentBits> = discord.GatewayIntentBits;
export const Opcode: Codes<typeof discord.GatewayOpcodes> = discord.GatewayOpcodes;
export const CloseCode: Codes<typeof discord.GatewayCloseCodes> = discord.GatewayCloseCodes;
export const InteractionType: Codes<typeof discord.InteractionType> = discord.InteractionType;
export const ResponseType: Codes<typeof discord.InteractionResponseType> =
  discord.InteractionResponseType;
export const OptionType: Codes<typeof discord.ApplicationCommandOptionType> =
  discord.ApplicationCommandOptionType;

/** Where people speak, and write beside it. */
export const VOICE_CHANNELS: readonly number[] = [
  ChannelType.GuildVoice,
  ChannelType.GuildStageVoice,
];
