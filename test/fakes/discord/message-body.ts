import { MessageFlags } from './codes.ts';
import { z } from 'zod';
import { checkComponentTree, componentsSchema } from './components.ts';
import { fault, type Json } from './faults.ts';
import type { Attachment, Message, World } from './state.ts';
import { characters, check, invalid, list, rule, snowflake, text, webUrl } from './validation.ts';

const embedParts = z.looseObject({
  title: text(256).nullish(),
  description: text(4096).nullish(),
  url: webUrl().nullish(),
  timestamp: z.iso.datetime({ offset: true }).nullish(),
  color: z.int().min(0).max(0xffffff).nullish(),
  footer: z.object({ text: text(2048, 1), icon_url: webUrl().nullish() }).nullish(),
  image: z.object({ url: webUrl() }).nullish(),
  thumbnail: z.object({ url: webUrl() }).nullish(),
  author: z
    .object({ name: text(256, 1), url: webUrl().nullish(), icon_url: webUrl().nullish() })
    .nullish(),
  fields: list(
    z.object({ name: text(256, 1), value: text(1024, 1), inline: z.boolean().nullish() }),
    25,
  ).nullish(),
});

const embedSize = (one: z.output<typeof embedParts>): number =>
  [one.title, one.description, one.footer?.text, one.author?.name]
    .concat((one.fields ?? []).flatMap((field) => [field.name, field.value]))
    .reduce<number>((sum, part) => sum + characters(part), 0);

/** Something to see; a colour or an address alone is nothing. */
const embed = rule(
  embedParts,
  'BASE_TYPE_REQUIRED',
  'This field is required',
  (it) => embedSize(it) > 0 || it.image != null || it.thumbnail != null,
);

const embeds = rule(
  list(embed, 10),
  'MAX_EMBED_SIZE_EXCEEDED',
  'Embed size exceeds maximum size of 6000',
  (all) => all.reduce((sum, one) => sum + embedSize(one), 0) <= 6000,
);

const exclusive = (kind: 'users' | 'roles', parse: readonly string[], ids: unknown): boolean =>
  !(parse.includes(kind) && Array.isArray(ids) && ids.length > 0);

const distinct = <T extends z.ZodType<readonly string[]>>(items: T): T =>
  rule(
    items,
    'SET_TYPE_ALREADY_CONTAINS_VALUE',
    'The set already contains this value',
    (all) => new Set(all).size === all.length,
  );

const allowedMentions = rule(
  z.object({
    parse: distinct(z.array(z.enum(['everyone', 'users', 'roles']))).nullish(),
    users: distinct(list(snowflake, 100)).nullish(),
    roles: distinct(list(snowflake, 100)).nullish(),
    replied_user: z.boolean().nullish(),
  }),
  'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
  'parse and a list of the same kind are mutually exclusive.',
  (it) =>
    exclusive('users', it.parse ?? [], it.users) && exclusive('roles', it.parse ?? [], it.roles),
);

const poll = z.looseObject({
  question: z.object({ text: text(300, 1) }),
  answers: list(z.object({ poll_media: z.looseObject({ text: text(55).nullish() }) }), 10, 1),
  duration: z.int().min(1).max(768).nullish(),
  allow_multiselect: z.boolean().nullish(),
});

const attachment = z.object({
  id: z.union([z.string(), z.int()]).transform(String),
  filename: text(1024).nullish(),
  description: text(1024).nullish(),
  waveform: rule(
    z.base64(),
    'BASE_TYPE_MAX_LENGTH',
    'Must be 256 or fewer in length.',
    (value) => Buffer.from(value, 'base64').byteLength <= 256,
  ).nullish(),
  duration_secs: z.number().min(0).max(1200).nullish(),
});

const nonce = rule(
  z.union([z.string(), z.int()]),
  'BASE_TYPE_MAX_LENGTH',
  'Must be 25 or fewer in length.',
  (value) => String(value).length <= 25,
);

const USERNAME = rule(
  text(80, 1),
  'USERNAME_INVALID_CONTAINS',
  'Username cannot contain "clyde" or "discord"',
  (name) => name.trim() !== '' && !/clyde|discord/i.test(name),
);

/** The name of a webhook, also the one that a single message shows. */
export const webhookName = USERNAME;

const bodySchema = z.object({
  content: text(2000).nullish(),
  nonce: nonce.nullish(),
  enforce_nonce: z.boolean().nullish(),
  tts: z.boolean().nullish(),
  embeds: embeds.nullish(),
  allowed_mentions: allowedMentions.nullish(),
  message_reference: z
    .object({
      type: z.literal([0, 1]).nullish(),
      message_id: snowflake,
      channel_id: snowflake.nullish(),
      guild_id: snowflake.nullish(),
      fail_if_not_exists: z.boolean().nullish(),
    })
    .nullish(),
  components: z.array(z.unknown()).nullish(),
  sticker_ids: list(snowflake, 3).nullish(),
  attachments: list(attachment, 10).nullish(),
  flags: z.int().min(0).nullish(),
  poll: poll.nullish(),
  username: USERNAME.nullish(),
  avatar_url: webUrl().nullish(),
  thread_name: text(100, 1).nullish(),
  applied_tags: z.array(snowflake).nullish(),
});

export type MessageBody = z.output<typeof bodySchema>;

/** A file of a multipart body, by its field name (`files[0]`). */
export interface SentFile {
  readonly field: string;
  readonly name: string;
  readonly contentType: string | undefined;
  readonly bytes: Uint8Array;
}

/** What a request that makes or edits a message says, checked. */
export const readMessageBody = (raw: Json, previousFlags = 0): MessageBody => {
  const body = check(bodySchema, raw);
  const v2 = Boolean(((body.flags ?? 0) | previousFlags) & MessageFlags.IsComponentsV2);
  if (body.components) {
    const schema = z.object({
      components: v2 ? z.union([componentsSchema(true)]) : componentsSchema(false),
    });
    check(schema, { components: body.components });
    checkComponentTree(body.components, v2);
  }
  if (v2 && (body.content || body.embeds?.length || body.poll || body.sticker_ids?.length))
    throw invalid(
      ['content'],
      'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
      'The content, embeds, poll and stickers fields cannot be used with Components V2',
    );
  return body;
};

/** The flags that a sender may set. */
const SETTABLE =
  MessageFlags.SuppressEmbeds |
  MessageFlags.Ephemeral |
  MessageFlags.SuppressNotifications |
  MessageFlags.IsVoiceMessage |
  MessageFlags.IsComponentsV2;

export const settableFlags = (body: MessageBody): number => (body.flags ?? 0) & SETTABLE;

/** What Discord makes of a file's name where the sender does not say its type. */
const TYPES: Readonly<Record<string, string>> = {
  txt: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  ogg: 'audio/ogg',
  mp3: 'audio/mpeg',
  wav: 'audio/x-wav',
};

const guessType = ({ name, contentType }: SentFile): string | undefined =>
  contentType === undefined || contentType === 'application/octet-stream'
    ? TYPES[name.split('.').at(-1)?.toLowerCase() ?? '']
    : contentType;

/** Files of one message. */
const MOST_FILES = 10;

/** 30015 for more files than a message holds. */
export const checkCount = <T>(files: readonly T[]): readonly T[] => {
  if (files.length > MOST_FILES) throw fault(30015);
  return files;
};

/** The sent files as attachments. Over the limit of a file: 40005. */
export const makeAttachments = (
  world: World,
  channelId: string,
  body: MessageBody,
  files: readonly SentFile[],
  ephemeral: boolean,
): Attachment[] =>
  checkCount(files).map((file) => {
    if (file.bytes.byteLength > world.fileLimitBytes) throw fault(40005);
    const number = /^files\[(\d+)\]$/.exec(file.field)?.[1];
    const told = body.attachments?.find((one) => one.id === number);
    const made: Attachment = {
      id: world.clock.snowflake(),
      channelId,
      name: (told?.filename ?? file.name).replace(/[^\w.-]+/g, '_') || 'unknown',
      contentType: guessType(file),
      bytes: file.bytes,
      description: told?.description ?? undefined,
      ephemeral,
      waveform: told?.waveform ?? undefined,
      durationSecs: told?.duration_secs ?? undefined,
      available: true,
    };
    return made;
  });

/** A promise of files that did not come with the request. */
export const checkPromisedFiles = (
  body: MessageBody,
  files: readonly SentFile[],
  kept: readonly Attachment[] = [],
): void => {
  const known = new Set([...files.map((one) => one.field), ...kept.map((one) => one.id)]);
  body.attachments?.forEach((one, index) => {
    if (!known.has(`files[${one.id}]`) && !known.has(one.id))
      throw invalid(
        ['attachments', index, 'id'],
        'ATTACHMENT_NOT_FOUND',
        `Uploaded attachment ${one.id} was not found`,
      );
  });
};

/** Voice messages: one audio file with its waveform and duration, and nothing else. */
export const checkVoiceMessage = (body: MessageBody, attachments: readonly Attachment[]): void => {
  if (!((body.flags ?? 0) & MessageFlags.IsVoiceMessage)) return;
  if (body.content || body.embeds?.length || body.components?.length) throw fault(50159);
  const [only] = attachments;
  if (attachments.length !== 1 || !only?.contentType?.startsWith('audio/')) throw fault(50160);
  if (only.waveform === undefined || only.durationSecs === undefined) throw fault(50162);
};

/** 50006 for a message that shows nothing; rows of controls need something above them. */
export const checkNotEmpty = (
  message: Pick<
    Message,
    'content' | 'embeds' | 'attachments' | 'components' | 'stickers' | 'flags'
  > & {
    readonly poll: unknown;
  },
): void => {
  const empty =
    message.content.trim() === '' &&
    message.embeds.length === 0 &&
    message.attachments.length === 0 &&
    !(message.components.length > 0 && message.flags & MessageFlags.IsComponentsV2) &&
    message.stickers.length === 0 &&
    message.poll === undefined;
  if (empty) throw fault(50006);
};
