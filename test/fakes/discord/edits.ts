import { MessageFlags } from './codes.ts';
import type { Json } from './faults.ts';
import {
  checkCount,
  checkNotEmpty,
  checkPromisedFiles,
  makeAttachments,
  type MessageBody,
  type SentFile,
} from './message-body.ts';
import type { Change } from './posting.ts';
import type { Message, World } from './state.ts';
import { invalid } from './validation.ts';

/** Flags that an edit may change; Components V2 can be set and not unset. */
const EDITABLE = MessageFlags.SuppressEmbeds | MessageFlags.IsComponentsV2;

/**
 * What an edit makes of a message: files that `attachments` does not name are dropped, without
 * `attachments` all stay; new files are added. 50006 where nothing would be left.
 */
export const keepAttachments = (
  world: World,
  message: Message,
  body: MessageBody,
  files: readonly SentFile[],
): Change => {
  if (body.flags != null && message.flags & ~body.flags & MessageFlags.IsComponentsV2)
    throw invalid(
      ['flags'],
      'MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG',
      'The IS_COMPONENTS_V2 flag cannot be removed',
    );
  checkPromisedFiles(body, files, message.attachments);
  const ephemeral = Boolean(message.flags & MessageFlags.Ephemeral);
  const named = body.attachments?.map((one) => one.id);
  const kept = message.attachments.filter((one) => named?.includes(one.id) ?? true);
  const added = makeAttachments(world, message.channel.id, body, files, ephemeral);
  const change = {
    content: body.content === undefined ? message.content : (body.content ?? ''),
    embeds: body.embeds === undefined ? message.embeds : ((body.embeds ?? []) as Json[]),
    components:
      body.components === undefined ? message.components : ((body.components ?? []) as Json[]),
    attachments: [...checkCount([...kept, ...added])],
    flags:
      body.flags == null
        ? message.flags
        : (message.flags & ~EDITABLE) |
          (body.flags & EDITABLE) |
          (message.flags & MessageFlags.IsComponentsV2),
    allowedMentions: body.allowed_mentions,
  };
  const forwarded = message.reference?.type === 1;
  if (!forwarded) checkNotEmpty({ ...change, stickers: message.stickers, poll: message.poll });
  for (const one of added) world.attachments.set(one.id, one);
  return change;
};
