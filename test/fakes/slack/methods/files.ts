import { z } from 'zod';
import { checkMessageBlocks } from '../blocks.ts';
import { SlackFault } from '../errors.ts';
import { addMessage, deleteFile } from '../posting.ts';
import { renderFile } from '../render.ts';
import type { File, World } from '../state.ts';
import { postable } from './chat.ts';
import { channelFor, json, method, TIER } from './call.ts';

/** The largest file of an upload: 1 GB ("Working with files"). */
const FILE_BYTES = 1_000_000_000;

/** Uploads that were announced, and their bytes once they are there. */
export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly altText: string | undefined;
  readonly teamId: string;
  bytes: Uint8Array | undefined;
}

const uploadsOf = new WeakMap<World, Map<string, Upload>>();

export const uploads = (world: World): Map<string, Upload> => {
  const known = uploadsOf.get(world) ?? new Map<string, Upload>();
  uploadsOf.set(world, known);
  return known;
};

const getUrl = method(
  'files.getUploadURLExternal',
  {
    rate: TIER[4],
    scopes: ['files:write'],
    args: z.looseObject({
      filename: z.string().min(1),
      length: z.coerce.number().int().min(1).max(FILE_BYTES),
      alt_txt: z.string().max(1_000).optional(),
      snippet_type: z.string().optional(),
    }),
  },
  ({ world, args, installation }) => {
    const id = world.clock.id('F');
    uploads(world).set(id, {
      id,
      name: args.filename,
      sizeBytes: args.length,
      altText: args.alt_txt,
      teamId: installation.workspace.id,
      bytes: undefined,
    });
    return { upload_url: `${world.origin}/upload/v1/${id}`, file_id: id };
  },
);

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  png: 'image/png',
  txt: 'text/plain',
  csv: 'text/csv',
};

const complete = method(
  'files.completeUploadExternal',
  {
    rate: TIER[4],
    scopes: ['files:write'],
    args: z.looseObject({
      files: json(
        z
          .array(z.looseObject({ id: z.string(), title: z.string().optional() }))
          .min(1)
          .max(10),
      ),
      channel_id: z.string().optional(),
      thread_ts: z.string().optional(),
      initial_comment: z.string().optional(),
      blocks: json(z.array(z.record(z.string(), z.unknown()))).optional(),
      username: z.string().max(80).optional(),
      icon_url: z.url().optional(),
    }),
  },
  (call) => {
    const { world, args, installation } = call;
    // Unlike chat.postMessage it takes no person in place of a channel.
    if (args.channel_id !== undefined) channelFor(call, args.channel_id);
    const channel = args.channel_id === undefined ? undefined : postable(call, args.channel_id);
    if (args.blocks) checkMessageBlocks(args.blocks);
    // As of September 2026 (python-slack-sdk, issue 1756).
    if (args.blocks?.some(({ type }) => type === 'markdown'))
      throw new SlackFault('internal_error');
    if ((args.username ?? args.icon_url) && !installation.scopes.has('chat:write.customize'))
      throw new SlackFault('missing_scope', { needed: 'chat:write.customize' });
    const files = args.files.map(({ id, title }): File => {
      const upload = uploads(world).get(id);
      if (!upload || upload.teamId !== installation.workspace.id)
        throw new SlackFault('file_not_found');
      if (!upload.bytes || upload.bytes.byteLength !== upload.sizeBytes)
        throw new SlackFault('file_upload_size_restricted');
      uploads(world).delete(id);
      const extension = upload.name.split('.').at(-1) ?? '';
      const file: File = {
        id,
        workspace: installation.workspace,
        owner: installation.botUser,
        name: upload.name,
        title: title ?? upload.name,
        mimetype: MEDIA_TYPES[extension] ?? 'application/octet-stream',
        bytes: upload.bytes,
        altText: upload.altText,
        more: {},
        checkInfo: false,
        shared: false,
        deleted: false,
      };
      world.files.set(id, file);
      return file;
    });
    // Slack shares the files a moment later; the message has no place in the answer.
    if (channel)
      setImmediate(() => {
        if (world.lostShares > 0) world.lostShares -= 1;
        else if (files.every(({ deleted }) => !deleted))
          addMessage(world, channel, {
            author: installation.botUser,
            botId: installation.botId,
            text: args.initial_comment ?? '',
            // A comment takes the place of blocks.
            blocks: args.initial_comment ? undefined : args.blocks,
            files,
            threadTs: args.thread_ts,
            username: args.username,
            iconUrl: args.icon_url,
          });
      });
    return { files: files.map((file) => ({ id: file.id, title: file.title })) };
  },
);

const fileInfo = method(
  'files.info',
  { rate: TIER[4], scopes: ['files:read'], args: z.looseObject({ file: z.string() }) },
  ({ world, args }) => {
    const file = world.files.get(args.file);
    if (!file || file.deleted) throw new SlackFault('file_not_found');
    const shares: Record<string, { ts: string }[]> = {};
    for (const channel of world.channels.values())
      for (const message of channel.messages)
        if (message.files.includes(file)) (shares[channel.id] ??= []).push({ ts: message.ts });
    const seen = renderFile(world, { ...file, checkInfo: false }, file.workspace);
    return { file: { ...seen, shares: { public: shares } } };
  },
);

const remove = method(
  'files.delete',
  { rate: TIER[3], scopes: ['files:write'], args: z.looseObject({ file: z.string() }) },
  ({ world, args, installation }) => {
    const file = world.files.get(args.file);
    if (!file || file.deleted) throw new SlackFault('file_not_found');
    if (file.owner !== installation.botUser) throw new SlackFault('cant_delete_file');
    deleteFile(world, file);
    return {};
  },
);

export const fileMethods = [getUrl, complete, fileInfo, remove];
