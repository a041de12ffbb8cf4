import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkMessageBlocks } from './blocks.ts';
import { SlackFault } from './errors.ts';
import { addMessage, changeMessage, deleteMessage, notePings } from './posting.ts';
import { readBody } from './read-body.ts';
import type { Json } from './json.ts';
import type { Channel, ResponseUrl, User, World } from './state.ts';

/** Uses and life of an address ("Handling user interaction", "response_url"). */
const USES = 5;
const LIFE_MS = 30 * 60_000;

export const createResponseUrl = (
  world: World,
  user: User,
  channel: Channel,
  source?: ResponseUrl['source'],
): string => {
  const id = world.clock.id('R');
  const createdAt = world.clock.now();
  world.responseUrls.set(id, { id, user, channel, createdAt, uses: 0, source });
  return `${world.origin}/response/${id}`;
};

const apply = (world: World, { user, channel, source }: ResponseUrl, body: Json): void => {
  const botUser = user.workspace.installation?.botUser;
  const botId = user.workspace.installation?.botId ?? '';
  const text = typeof body['text'] === 'string' ? body['text'] : '';
  const blocks = body['blocks'] as readonly Json[] | undefined;
  const isPrivate = source !== undefined && 'to' in source;
  if (body['delete_original'] === true) {
    if (isPrivate) channel.ephemerals.splice(channel.ephemerals.indexOf(source), 1);
    else if (source) deleteMessage(world, source);
    return;
  }
  if (!text && !blocks?.length) throw new SlackFault('no_text', {}, 400);
  if (blocks) checkMessageBlocks(blocks);
  if (body['replace_original'] === true && source) {
    if (isPrivate) {
      Object.assign(source, { text, blocks });
      notePings(world, channel, source.ts, text, blocks);
    } else changeMessage(world, source, { text, blocks });
    return;
  }
  const threadTs = body['thread_ts'] as string | undefined;
  if (body['response_type'] === 'in_channel' && botUser) {
    addMessage(world, channel, { author: botUser, botId, text, blocks, threadTs });
    return;
  }
  const ts = world.clock.ts();
  channel.ephemerals.push({ to: user.id, ts, text, blocks, threadTs, botId });
  notePings(world, channel, ts, text, blocks);
};

/** Takes a message for one interaction. */
export const takeResponse = async (
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const known = world.responseUrls.get((request.url ?? '').split('/').at(-1) ?? '');
  const end = (status: number, body: string): void => void response.writeHead(status).end(body);
  if (!known || world.clock.now() - known.createdAt > LIFE_MS) return end(404, 'expired_url');
  known.uses += 1;
  if (known.uses > USES) return end(404, 'used_url');
  try {
    apply(world, known, JSON.parse((await readBody(request)).toString()) as Json);
  } catch (thrown) {
    if (!(thrown instanceof SlackFault)) throw thrown;
    return end(400, thrown.error);
  }
  world.changed();
  end(200, 'ok');
};

/** What a command's or control's acknowledgement carries as its first answer. */
export const applyAck = (world: World, known: ResponseUrl, body: unknown): void => {
  const answer = (typeof body === 'object' && body !== null ? body : {}) as Json;
  if (answer['text'] !== undefined || answer['blocks'] !== undefined) apply(world, known, answer);
};
