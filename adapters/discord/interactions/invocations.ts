import {
  ApplicationCommandOptionType,
  ApplicationIntegrationType,
  PermissionFlagsBits,
  type APIApplicationCommandInteractionDataOption,
  type APIApplicationCommandInteractionDataBasicOption,
  type APIAttachment,
  type APIInteraction,
  type InteractionType,
} from 'discord.js';
import type { Attachment } from '../../../src/model/file.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { Member } from '../../../src/model/member.ts';
import type { OpenFile } from '../files.ts';
import { channelOf, PLATFORM } from '../ids.ts';
import { localeOf } from '../slash/locales.ts';
import { fileNameOf, nameOf } from '../inbound/message-reader.ts';

type Option = APIApplicationCommandInteractionDataOption<
  InteractionType.ApplicationCommand | InteractionType.ApplicationCommandAutocomplete
>;
type BasicOption = APIApplicationCommandInteractionDataBasicOption<
  InteractionType.ApplicationCommand | InteractionType.ApplicationCommandAutocomplete
>;

/** Any interaction but a ping, which never comes over the gateway. */
export type Used = Exclude<APIInteraction, { type: InteractionType.Ping }>;

const MODERATES = PermissionFlagsBits.ManageGuild | PermissionFlagsBits.Administrator;

/** Who did it. In direct messages everybody decides for themselves. */
export const memberOf = (interaction: Used): Member => {
  const { member, user, locale } = interaction;
  const who = member?.user ?? user;
  const moderates = !member || (BigInt(member.permissions) & MODERATES) !== 0n;
  return {
    platform: PLATFORM,
    id: who?.id ?? '',
    name: who ? nameOf(who, member?.nick) : '',
    locale: localeOf(locale),
    role: moderates ? 'moderator' : 'member',
    roles: member?.roles ?? [],
  };
};

export const placeOf = ({ guild_id, channel, channel_id }: Used): Channel => {
  const parent = channel && 'thread_metadata' in channel ? channel.parent_id : undefined;
  return channelOf(guild_id, channel?.id ?? channel_id ?? '', parent);
};

/** False where only the person's account has the app: there the bot itself can do nothing. */
export const isBotThere = ({ authorizing_integration_owners: owners }: Used): boolean =>
  owners[ApplicationIntegrationType.GuildInstall] !== undefined;

const isBasic = (option: Option): option is BasicOption =>
  option.type !== ApplicationCommandOptionType.Subcommand &&
  option.type !== ApplicationCommandOptionType.SubcommandGroup;

export interface UsedCommand {
  /** `translate`, `glossary add`. */
  readonly name: string;
  readonly options: readonly BasicOption[];
}

export const commandOf = (name: string, options: readonly Option[] = []): UsedCommand => {
  const [first] = options;
  return first?.type === ApplicationCommandOptionType.Subcommand
    ? { name: `${name} ${first.name}`, options: first.options ?? [] }
    : { name, options: options.filter(isBasic) };
};

/** The options' values; files as something to read. */
export const valuesOf = (
  options: readonly BasicOption[],
  files: Readonly<Record<string, APIAttachment>> = {},
  openFile: OpenFile,
): Record<string, unknown> => {
  const attachmentOf = (id: string): Attachment | undefined => {
    const raw = files[id];
    return (
      raw && {
        ...openFile({ url: raw.url, sizeBytes: raw.size }),
        name: fileNameOf(raw),
        mediaType: raw.content_type ?? 'application/octet-stream',
      }
    );
  };
  return Object.fromEntries(
    options.map((option) => [
      option.name,
      option.type === ApplicationCommandOptionType.Attachment
        ? attachmentOf(option.value)
        : option.value,
    ]),
  );
};
