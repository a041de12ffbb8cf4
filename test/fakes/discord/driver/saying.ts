import type { Json } from '../faults.ts';
import type { Attachment, Channel, World } from '../state.ts';
import type { FakeMessage } from './message.ts';

/** A file as a person gives it; `contentType` is what Discord claims of it. */
export interface GivenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Undefined: Discord claims nothing. */
  readonly contentType?: string;
  readonly description?: string;
}

export interface SayOptions {
  readonly attachments?: readonly GivenFile[];
  readonly replyTo?: FakeMessage;
  readonly forward?: FakeMessage;
  readonly stickers?: readonly string[];
  readonly poll?: { readonly question: string; readonly answers: readonly string[] };
  readonly embeds?: readonly Json[];
  readonly components?: readonly Json[];
  readonly flags?: number;
  /** A system message: 6 a pin, 7 a join, 8 a boost, 18 a thread made. */
  readonly type?: number;
  /** A voice message: Ogg Opus with waveform and duration. */
  readonly voice?: {
    readonly bytes: Uint8Array;
    readonly durationSecs: number;
    readonly waveform?: string;
  };
}

export const voiceFile = (voice: { readonly bytes: Uint8Array }): GivenFile => ({
  name: 'voice-message.ogg',
  contentType: 'audio/ogg',
  bytes: voice.bytes,
});

/** Puts a person's file on the CDN. */
export const keepFile = (
  world: World,
  channel: Channel,
  file: GivenFile,
  voice?: { readonly durationSecs: number; readonly waveform?: string },
  ephemeral = false,
): Attachment => {
  const attachment: Attachment = {
    id: world.clock.snowflake(),
    channelId: channel.id,
    name: file.name,
    contentType: file.contentType,
    bytes: file.bytes,
    description: file.description,
    ephemeral,
    waveform: voice && (voice.waveform ?? Buffer.alloc(64, 80).toString('base64')),
    durationSecs: voice?.durationSecs,
    available: true,
  };
  world.attachments.set(attachment.id, attachment);
  return attachment;
};

export const renderPoll = (poll: NonNullable<SayOptions['poll']>): Json => ({
  question: { text: poll.question },
  answers: poll.answers.map((text, index) => ({ answer_id: index + 1, poll_media: { text } })),
  expiry: null,
  allow_multiselect: false,
  layout_type: 1,
});
