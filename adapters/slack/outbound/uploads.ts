import { request } from 'undici';
import { z } from 'zod';
import type { Api } from '../api.ts';
import { ALT_TEXT_CHARS } from '../limits.ts';
import { realClock, sleep } from '../../../src/async/clock.ts';
import { AppError } from '../../../src/errors.ts';
import type { OutgoingFile } from '../../../src/model/file.ts';
import type { Space } from '../../../src/model/place.ts';
import type { MirrorFile } from '../../../src/ports/mirrors.ts';
import { shorten } from '../../../src/text/quoted-words.ts';
import type { SlackBlock } from './blocks.ts';

/** The place of uploaded files. */
export interface FilePlace {
  readonly channelId: string;
  readonly threadTs: string | undefined;
  /** Blocks above the files. */
  readonly blocks?: readonly SlackBlock[];
}

const uploadUrl = z.object({ upload_url: z.url(), file_id: z.string() });
const share = z.array(z.object({ ts: z.string(), thread_ts: z.string().optional() }));
const fileInfo = z.object({
  file: z.object({
    shares: z
      .object({
        public: z.record(z.string(), share).optional(),
        private: z.record(z.string(), share).optional(),
      })
      .optional(),
  }),
});

const UPLOAD_MS = 60_000;
/** Slack shares files a moment after the upload is complete: looks for the message, and the waits between. */
const LOOKS = 6;
const LOOK_AFTER_MS = 400;

export type Uploads = ReturnType<typeof createUploads>;

/** @param speed every wait is so many times shorter */
export const createUploads = (api: Api, speed = 1) => {
  const send = async (space: Space, file: MirrorFile): Promise<string> => {
    const { name, altText } = file;
    const bytes = 'bytes' in file ? file.bytes : await file.read();
    const announced = uploadUrl.parse(
      await api.call(space, 'files.getUploadURLExternal', {
        filename: name,
        length: bytes.byteLength,
        ...(altText === undefined ? {} : { alt_txt: shorten(altText, ALT_TEXT_CHARS) }),
      }),
    );
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
  const sharedAs = async (
    space: Space,
    fileId: string,
    channelId: string,
  ): Promise<string | undefined> => {
    const { file } = fileInfo.parse(await api.call(space, 'files.info', { file: fileId }));
    const { public: open = {}, private: hidden = {} } = file.shares ?? {};
    return (open[channelId] ?? hidden[channelId])?.at(-1)?.ts;
  };

  return {
    /** Uploads a picture without showing it anywhere; resolves with its id, for a view of the app. */
    keep: async (space: Space, file: OutgoingFile): Promise<string> => {
      const id = await send(space, file);
      await api.call(space, 'files.completeUploadExternal', { files: [{ id, title: file.name }] });
      return id;
    },
    /**
     * Uploads files and shows them in one message. Resolves with its timestamp; undefined where Slack
     * does not say it in time.
     */
    post: async (
      space: Space,
      files: readonly MirrorFile[],
      { channelId, threadTs, blocks }: FilePlace,
    ): Promise<string | undefined> => {
      const ids: string[] = [];
      for (const file of files) ids.push(await send(space, file));
      await api.call(
        space,
        'files.completeUploadExternal',
        {
          files: ids.map((id, index) => ({ id, title: files[index]?.name ?? id })),
          channel_id: channelId,
          ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
          ...(blocks ? { blocks } : {}),
        },
        { once: true },
      );
      const [first = ''] = ids;
      for (let look = 0; look < LOOKS; look += 1) {
        await sleep(realClock, (LOOK_AFTER_MS * look) / speed);
        const ts = await sharedAs(space, first, channelId);
        if (ts !== undefined) return ts;
      }
      return undefined;
    },
  };
};
