import { z } from 'zod';
import type { RichTextBlock } from '../rich-text/blocks.ts';

/** A message as events and `conversations.history` give it, as far as it is read here. */

const block = z.looseObject({ type: z.string() });

export type RawBlock = z.infer<typeof block>;

/** Words of an attachment, as whoever posts it wrote them: what is not a text counts as none. */
const words = z.string().optional().catch(undefined);

const attachment = z.looseObject({
  fallback: words,
  pretext: words,
  author_id: words,
  author_name: words,
  author_link: words,
  title: words,
  title_link: words,
  text: words,
  footer: words,
  image_url: words,
  fields: z
    .array(z.looseObject({ title: words, value: words }))
    .optional()
    .catch(undefined),
  blocks: z.array(z.unknown()).optional().catch(undefined),
  /** The preview of a link. */
  from_url: words,
  is_app_unfurl: z.boolean().optional().catch(undefined),
  is_msg_unfurl: z.boolean().optional().catch(undefined),
  /** Another message that was shared. */
  is_share: z.boolean().optional().catch(undefined),
  message_blocks: z
    .array(
      z.looseObject({
        message: z.looseObject({ blocks: z.array(z.unknown()).optional() }).optional(),
      }),
    )
    .optional()
    .catch(undefined),
});

export type RawAttachment = z.infer<typeof attachment>;

export const rawFile = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  title: z.string().nullish(),
  mimetype: z.string().optional(),
  size: z.number().optional(),
  mode: z.string().optional(),
  subtype: z.string().optional(),
  alt_txt: z.string().optional(),
  file_access: z.string().optional(),
  url_private: z.string().optional(),
  url_private_download: z.string().optional(),
  duration_ms: z.number().optional(),
  audio_wave_samples: z.array(z.number()).optional(),
});

export type RawFile = z.infer<typeof rawFile>;

export const rawMessage = z.looseObject({
  ts: z.string(),
  subtype: z.string().optional(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  app_id: z.string().optional(),
  username: z.string().optional(),
  icons: z.looseObject({ image_48: z.string().nullish() }).nullish(),
  /** The author, where they are of another organisation ("Understanding Slack Connect"). */
  user_profile: z
    .looseObject({
      name: z.string().optional(),
      real_name: z.string().optional(),
      display_name: z.string().optional(),
      image_72: z.string().optional(),
    })
    .nullish(),
  bot_profile: z.looseObject({ name: z.string().optional() }).optional(),
  text: z.string().nullish(),
  blocks: z.array(block).optional(),
  attachments: z.array(attachment).optional(),
  files: z.array(rawFile).optional(),
  thread_ts: z.string().optional(),
  reply_count: z.number().optional().catch(undefined),
  latest_reply: z.string().optional(),
  /** The ids of those who replied in the thread: five at most, and an app by its user or its bot ("conversations.replies"). */
  reply_users: z.array(z.string()).optional().catch(undefined),
  reply_users_count: z.number().optional().catch(undefined),
  permalink: z.string().optional(),
  edited: z.looseObject({ ts: z.string() }).optional(),
  hidden: z.boolean().optional(),
  metadata: z
    .looseObject({ event_type: z.string().optional(), event_payload: z.unknown().optional() })
    .optional(),
  reactions: z
    .array(
      z.looseObject({ name: z.string(), users: z.array(z.string()).optional(), count: z.number() }),
    )
    .optional(),
});

export type RawSlackMessage = z.infer<typeof rawMessage>;

export const isRichText = (raw: RawBlock): raw is RawBlock & RichTextBlock =>
  raw.type === 'rich_text' && Array.isArray(raw['elements']);

/** Subtypes of people's and apps' own words; all others are by Slack itself. */
const WRITTEN: ReadonlySet<string> = new Set([
  'bot_message',
  'file_share',
  'me_message',
  'thread_broadcast',
]);

export const isWritten = ({ subtype }: RawSlackMessage): boolean =>
  subtype === undefined || WRITTEN.has(subtype);
