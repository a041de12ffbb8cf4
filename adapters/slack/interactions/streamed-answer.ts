import { SEPARATOR, type RichText } from '../../../src/rich-text/rich-text.ts';
import { withoutSpoilers } from '../../../src/rich-text/reduce.ts';
import { renderMarkdown } from '../../../src/rich-text/markdown/render.ts';
import { z } from 'zod';
import type { Api } from '../api.ts';
import { ANSWERING } from '../rate-limiter.ts';
import { isRefusal } from '../errors.ts';
import { channelIdOf } from '../ids.ts';
import { FILES, FILES_BYTES, STREAM_CHARS, UPDATE_EVERY_MS } from '../limits.ts';
import { controlBlocks } from '../outbound/blocks.ts';
import type { Mentions, NamedContent } from '../mentions.ts';
import type { MessageWriter } from '../outbound/message-writer.ts';
import { filesOf, render } from '../outbound/render.ts';
import type { UploadedFile, Uploads } from '../outbound/uploads.ts';
import { recover, toAppError } from '../../../src/errors.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { Answer } from '../../../src/ports/platform.ts';

/** The sign before a word or an id that notifies. Addresses are written without such signs. */
const calling = /@(?=here|channel|everyone)|<(?=[@!])/gi;

/** The end of a text that may yet become a word that notifies. */
const unfinished = /@[a-z]{0,8}$/i;

/**
 * Writes a text as Markdown for a stream of Slack's: nothing in it can notify, not even what stands in
 * code, and nothing that spoilers hide is shown.
 *
 * @param isGrowing true to leave out a last word that more letters could change
 */
export const renderStreamed = (tree: RichText, isGrowing: boolean): string => {
  const written = renderMarkdown(withoutSpoilers(tree)).replaceAll(calling, `$&${SEPARATOR}`);
  return isGrowing ? written.replace(unfinished, '') : written;
};

export interface StreamedAnswerDeps {
  readonly api: Api;
  readonly mentions: Pick<Mentions, 'on'>;
  readonly writer: MessageWriter;
  readonly uploads: Pick<Uploads, 'stage'>;
  /** Every wait is so many times shorter. */
  readonly speed: number;
}

export interface StreamPlace {
  readonly channel: Channel;
  readonly threadTs: string;
  readonly userId: string;
}

/** Refusals of streaming where a plain message works: Slack Connect, some direct messages, old apps. */
const UNSTREAMED = [
  'team_not_found',
  'missing_recipient_team_id',
  'missing_recipient_user_id',
  'method_not_supported_for_channel_type',
  'not_allowed_token_type',
  'unknown_method',
];

const started = z.object({ ts: z.string() });

/**
 * Creates an answer to one person that grows as a stream of Slack's, or by edits where streams are
 * refused. What is taken back in a stream is put right when it ends.
 */
export const createStreamedAnswer = (
  { api, mentions, writer, uploads, speed }: StreamedAnswerDeps,
  { channel, threadTs, userId }: StreamPlace,
) => {
  const channelId = channelIdOf(channel);
  const place = { threadTs, priority: ANSWERING };
  let stream: string | undefined;
  let sent = '';
  let isStreaming = true;
  /** True when what was streamed is not how the answer ended. */
  let isOff = false;
  let posts: readonly string[] = [];
  let last: NamedContent | undefined;
  /** The uploaded files of the newest content. */
  let staged: readonly UploadedFile[] = [];
  let drawing: Promise<void> = Promise.resolve();

  const begin = async (first: string): Promise<void> => {
    const answer = await api.call(
      channel.space,
      'chat.startStream',
      {
        channel: channelId,
        thread_ts: threadTs,
        recipient_user_id: userId,
        recipient_team_id: channel.space.id,
        markdown_text: first,
      },
      { once: true },
    );
    stream = started.parse(answer).ts;
  };

  const grow = async (written: string): Promise<void> => {
    if (!written.startsWith(sent)) {
      isOff = true;
      return;
    }
    const more = written.slice(sent.length, sent.length + STREAM_CHARS);
    if (more.trim() === '') return;
    if (stream === undefined) await begin(more);
    else
      await api.call(
        channel.space,
        'chat.appendStream',
        { channel: channelId, ts: stream, markdown_text: more },
        { once: true },
      );
    sent += more;
  };

  const post = async (content: NamedContent): Promise<void> => {
    posts = await writer.sync(channel, posts, render(content), place);
  };

  const draw = async (content: NamedContent): Promise<void> => {
    if (!isStreaming) return post(content);
    try {
      await grow(renderStreamed(content.text, true));
    } catch (thrown) {
      if (stream !== undefined || !isRefusal(thrown, ...UNSTREAMED)) throw thrown;
      isStreaming = false;
      await post(content);
    }
  };

  /** Ends the stream; false where what it showed had to be replaced. */
  const endStream = async (ts: string, content: NamedContent): Promise<boolean> => {
    const written = renderStreamed(content.text, false);
    for (let units = written.length - sent.length; units > 0; units -= STREAM_CHARS)
      await grow(written);
    const blocks = controlBlocks(content.controls);
    await api.call(channel.space, 'chat.stopStream', {
      channel: channelId,
      ts,
      ...(blocks.length > 0 && !isOff ? { blocks } : {}),
    });
    if (!isOff && content.tone !== 'error') return true;
    posts = await writer.sync(channel, [ts], render(content), place);
    return false;
  };

  /** Uploads the whole of a text that messages show in part; where that is refused, they show all of it. */
  const stageWhole = async (content: NamedContent): Promise<readonly UploadedFile[]> => {
    const files = filesOf(render(content)).slice(content.files?.length ?? 0);
    const staging = uploads.stage(channel.space, files, ANSWERING);
    const whole = await recover(staging, (thrown) => !toAppError(thrown).retryable);
    if (!whole) posts = await writer.sync(channel, posts, render(content, false), place);
    return whole ?? [];
  };

  const inTurn = async (work: () => Promise<void>): Promise<void> => {
    const next = drawing.then(work);
    drawing = next.catch(() => undefined);
    await next;
  };

  const answer: Answer = {
    paceMs: UPDATE_EVERY_MS / speed,
    fileBytes: FILES_BYTES,
    show: async (content) =>
      inTurn(async () => {
        const files = (content.files ?? []).slice(0, FILES);
        // First, so that none of it stands where they are refused.
        staged = await uploads.stage(channel.space, files, ANSWERING);
        last = await mentions.on(channel.space, content);
        await draw(last);
      }),
  };

  return {
    answer,
    /** Ends the stream, with the controls and files of the answer; what was taken back is put right. */
    finish: async (): Promise<void> =>
      inTurn(async () => {
        if (!last) return;
        const isStreamed = stream !== undefined && (await endStream(stream, last));
        const whole = isStreamed ? [] : await stageWhole(last);
        await writer.showFiles(channel, [], [...staged, ...whole], place);
      }),
  };
};
