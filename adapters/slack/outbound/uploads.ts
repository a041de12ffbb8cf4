import { USERNAME_CHARS, ALT_TEXT_CHARS } from '../limits.ts';
import type { Persona, MirrorFile } from '../../../src/ports/mirrors.ts';
import { quotedWords, shorten } from '../../../src/text/quoted-words.ts';
import { request } from 'undici';
import { z } from 'zod';
import type { Api } from '../api.ts';
import { refusedAs } from '../errors.ts';
import type { CallPriority } from '../rate-limiter.ts';
import { realClock, sleep } from '../../../src/async/clock.ts';
import { AppError } from '../../../src/errors.ts';
import { isAtKnownHost, knownHosts } from '../../../src/http/attached-file.ts';
import type { OutgoingFile } from '../../../src/model/message.ts';
import type { Space } from '../../../src/model/place.ts';
import type { WhileHeld } from '../../../src/ports/processes.ts';
import type { SlackBlock } from './blocks.ts';

/** The name and picture above a message, as the methods that post take them. */
export const personaOf = ({ name, avatarUrl }: Persona) => ({
  username: quotedWords(name, USERNAME_CHARS) || '…',
  ...(avatarUrl === undefined ? {} : { icon_url: avatarUrl }),
});

export interface FilePlace extends WhileHeld {
  readonly channelId: string;
  readonly threadTs?: string | undefined;
  /** Blocks above the files. */
  readonly blocks?: readonly SlackBlock[];
  /** The name and picture above them. */
  readonly as?: Persona | undefined;
  /** Place among the calls that wait for the same rate. */
  readonly priority?: CallPriority | undefined;
}

export interface UploadedFile {
  readonly id: string;
  readonly name: string;
}

const uploadUrl = z.object({ upload_url: z.url(), file_id: z.string() });

/** Hosts at which Slack takes files ("files.getUploadURLExternal"). */
const UPLOAD_HOSTS: ReadonlySet<string> = new Set(['files.slack.com']);
const UPLOAD_MS = 60_000;
/** Errors for a file that does not exist, or whose upload was never completed. */
const GONE = ['file_not_found', 'file_deleted', 'file_upload_not_complete'];
/** Slack shares files a moment after the upload is complete: polls for the message, and the first wait between them. */
const POLLS = 6;
const POLL_AFTER_MS = 400;

export type Uploads = ReturnType<typeof createUploads>;

export interface UploadsOptions {
  /** Server to use instead of Slack, which then also stores the files. */
  readonly apiUrl: string | undefined;
  /** Every wait is so many times shorter. */
  readonly speed?: number;
}

export const createUploads = (api: Api, { apiUrl, speed = 1 }: UploadsOptions) => {
  const hosts = knownHosts(UPLOAD_HOSTS, apiUrl);

  /** Uploads a file, which nobody sees yet; resolves with its id. */
  const send = async (space: Space, file: MirrorFile, priority?: CallPriority): Promise<string> => {
    const { name, altText } = file;
    const bytes = 'bytes' in file ? file.bytes : await file.read();
    const announced = uploadUrl.parse(
      await api.call(
        space,
        'files.getUploadURLExternal',
        {
          filename: name,
          length: bytes.byteLength,
          ...(altText === undefined ? {} : { alt_txt: shorten(altText, ALT_TEXT_CHARS) }),
        },
        { priority },
      ),
    );
    if (!isAtKnownHost(announced.upload_url, hosts))
      throw new AppError('unavailable', 'Slack gave a foreign address for a file');
    const { statusCode, body } = await request(announced.upload_url, {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
      headersTimeout: UPLOAD_MS,
      bodyTimeout: UPLOAD_MS,
    }).catch((cause: unknown) => {
      throw new AppError('unavailable', 'Slack took no file', { cause, retryable: true });
    });
    await body.dump();
    if (statusCode !== 200)
      throw new AppError('unavailable', `Slack answered ${statusCode} to a file`, {
        retryable: true,
      });
    return announced.file_id;
  };

  /** The message in which a file is shown; undefined as long as there is none. */
  const placeOf = async (
    space: Space,
    fileId: string,
    channelId: string,
    priority: CallPriority | undefined,
  ): Promise<string | undefined> => {
    const { file } = await api.call(space, 'files.info', { file: fileId }, { priority });
    const { public: open = {}, private: hidden = {} } = file?.shares ?? {};
    return (open[channelId] ?? hidden[channelId])?.at(-1)?.ts;
  };

  /**
   * Finds the message in which a file is shown; undefined where there is none, or no such file.
   *
   * @param polls times to ask, with growing waits between them
   */
  const shownIn = async (
    space: Space,
    fileId: string,
    channelId: string,
    {
      polls = POLLS,
      priority,
    }: { readonly polls?: number; readonly priority?: CallPriority | undefined } = {},
  ): Promise<string | undefined> => {
    const poll = async (): Promise<string | undefined> => {
      for (let count = 0; count < polls; count += 1) {
        await sleep(realClock, (POLL_AFTER_MS * count) / speed);
        const ts = await placeOf(space, fileId, channelId, priority);
        if (ts !== undefined) return ts;
      }
      return undefined;
    };
    return refusedAs(poll(), ...GONE);
  };

  /**
   * Shows uploaded files in one message. Resolves with its timestamp; undefined where Slack does not say
   * it in time, or there are none.
   */
  const share = async (
    space: Space,
    files: readonly UploadedFile[],
    { channelId, threadTs, blocks, as, priority, assertHeld }: FilePlace,
  ): Promise<string | undefined> => {
    const [first] = files;
    if (!first) return undefined;
    await api.call(
      space,
      'files.completeUploadExternal',
      {
        files: files.map(({ id, name }) => ({ id, title: name })),
        channel_id: channelId,
        ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
        ...(blocks ? { blocks } : {}),
        ...(as ? personaOf(as) : {}),
      },
      { once: true, priority, assertHeld },
    );
    return shownIn(space, first.id, channelId, { priority });
  };

  /** Uploads files; nobody sees them yet. Rejects where they are refused, before anything is posted. */
  const stage = async (
    space: Space,
    files: readonly MirrorFile[],
    priority?: CallPriority,
  ): Promise<readonly UploadedFile[]> => {
    const sent: UploadedFile[] = [];
    for (const file of files) sent.push({ id: await send(space, file, priority), name: file.name });
    return sent;
  };

  return {
    send,
    stage,
    share,
    shownIn,
    /** Deletes a file; one that is gone already, or was never shown, is no error. */
    remove: async (space: Space, fileId: string, { assertHeld }: WhileHeld = {}): Promise<void> => {
      const removing = api.call(space, 'files.delete', { file: fileId }, { assertHeld });
      await refusedAs(removing, ...GONE);
    },
    /** Uploads a picture without showing it anywhere; resolves with its id, for a view of the app. */
    keep: async (space: Space, file: OutgoingFile): Promise<string> => {
      const id = await send(space, file);
      await api.call(space, 'files.completeUploadExternal', { files: [{ id, title: file.name }] });
      return id;
    },
    /** Uploads files and shows them in one message; see `share`. */
    post: async (
      space: Space,
      files: readonly MirrorFile[],
      place: FilePlace,
    ): Promise<string | undefined> =>
      share(space, await stage(space, files, place.priority), place),
  };
};
