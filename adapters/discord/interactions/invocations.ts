import {
  ApplicationCommandOptionType,
  ApplicationIntegrationType,
  GuildFeature,
  Locale,
  PermissionFlagsBits,
  type APIApplicationCommandInteractionDataOption,
  type APIApplicationCommandInteractionDataBasicOption,
  type APIInteractionDataResolved,
  type APIInteraction,
  type InteractionType,
  ComponentType,
  InteractionResponseType,
  TextInputStyle,
  type APIModalSubmitInteraction,
} from 'discord.js';
import type { Attachment } from '../../../src/model/message.ts';
import type { Channel, Member } from '../../../src/model/place.ts';
import type { OpenRemoteFile } from '../files.ts';
import { channelOf, PLATFORM } from '../ids.ts';
import { localeOf } from '../slash/commands.ts';
import { fileNameOf, nameOf } from '../inbound/message-reader.ts';
import type { FormInfo } from '../../../src/model/command-info.ts';
import { shorten } from '../../../src/text/quoted-words.ts';
import { FIELD_CHARS, FORM_CHARS, HINT_CHARS } from '../limits.ts';

type Option = APIApplicationCommandInteractionDataOption<
  InteractionType.ApplicationCommand | InteractionType.ApplicationCommandAutocomplete
>;
type BasicOption = APIApplicationCommandInteractionDataBasicOption<
  InteractionType.ApplicationCommand | InteractionType.ApplicationCommandAutocomplete
>;

/** An interaction that somebody caused: not a ping, which never comes over the gateway. */
export type UsedInteraction = Exclude<APIInteraction, { type: InteractionType.Ping }>;

const MODERATES = PermissionFlagsBits.ManageGuild | PermissionFlagsBits.Administrator;

/** The person who did it. In direct messages everybody decides for themselves. */
export const memberOf = (interaction: UsedInteraction): Member => {
  const { member, user, locale, guild, guild_locale: ofGuild } = interaction;
  const who = member?.user ?? user;
  // Community servers alone choose a language; others have this one, whatever they speak.
  const isChosen = ofGuild !== Locale.EnglishUS || guild?.features.includes(GuildFeature.Community);
  const moderates = !member || (BigInt(member.permissions) & MODERATES) !== 0n;
  return {
    platform: PLATFORM,
    id: who?.id ?? '',
    name: who ? nameOf(who, member?.nick) : '',
    locale: localeOf(locale),
    ...(ofGuild && isChosen ? { spaceLocale: localeOf(ofGuild) } : {}),
    role: moderates ? 'moderator' : 'member',
    roles: member?.roles ?? [],
  };
};

/** The channel that a thread belongs to; undefined for any other channel. */
const parentOf = (channel: object | undefined): string | undefined =>
  channel && 'thread_metadata' in channel && 'parent_id' in channel
    ? ((channel.parent_id ?? undefined) as string | undefined)
    : undefined;

export const placeOf = ({ guild_id, channel, channel_id }: UsedInteraction): Channel =>
  channelOf(guild_id, channel?.id ?? channel_id ?? '', parentOf(channel));

/** False where only the person's account has the app: there the bot itself can do nothing. */
export const isBotThere = ({ authorizing_integration_owners: owners }: UsedInteraction): boolean =>
  owners[ApplicationIntegrationType.GuildInstall] !== undefined;

const isBasic = (option: Option): option is BasicOption =>
  option.type !== ApplicationCommandOptionType.Subcommand &&
  option.type !== ApplicationCommandOptionType.SubcommandGroup;

/** The used command's whole name, such as `glossary add`, and its options. */
export const commandOf = (name: string, options: readonly Option[] = []) => {
  const [first] = options;
  return first?.type === ApplicationCommandOptionType.Subcommand
    ? { name: `${name} ${first.name}`, options: first.options ?? [] }
    : { name, options: options.filter(isBasic) };
};

/** The options' values: files as something to read, channels with what is known of them. */
export const valuesOf = (
  options: readonly BasicOption[],
  { attachments = {}, channels = {} }: APIInteractionDataResolved = {},
  guildId: string | undefined,
  openFile: OpenRemoteFile,
): Record<string, unknown> => {
  const attachmentOf = (id: string): Attachment | undefined => {
    const raw = attachments[id];
    return (
      raw && {
        ...openFile({ url: raw.url, sizeBytes: raw.size }),
        name: fileNameOf(raw),
        mediaType: raw.content_type ?? 'application/octet-stream',
      }
    );
  };
  const valueOf = (option: BasicOption): unknown => {
    if (option.type === ApplicationCommandOptionType.Attachment) return attachmentOf(option.value);
    if (option.type !== ApplicationCommandOptionType.Channel) return option.value;
    return channelOf(guildId, option.value, parentOf(channels[option.value]));
  };
  return Object.fromEntries(options.map((option) => [option.name, valueOf(option)]));
};

/** The response that opens a form; what is entered comes back with the press. */
export const openForm = (press: string, { title, label, hint, maxChars }: FormInfo) => ({
  type: InteractionResponseType.Modal,
  data: {
    custom_id: press,
    title: shorten(title, FORM_CHARS),
    components: [
      {
        type: ComponentType.Label,
        label: shorten(label, FORM_CHARS),
        description: shorten(hint, HINT_CHARS),
        component: {
          type: ComponentType.TextInput,
          custom_id: 'value',
          style: TextInputStyle.Short,
          max_length: Math.min(maxChars, FIELD_CHARS),
          required: true,
        },
      },
    ],
  },
});

export const enteredIn = ({ components }: APIModalSubmitInteraction['data']): readonly string[] =>
  components.flatMap((part) =>
    'component' in part && 'value' in part.component && typeof part.component.value === 'string'
      ? [part.component.value]
      : [],
  );
