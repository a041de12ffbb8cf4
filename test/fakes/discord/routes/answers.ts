import { MessageFlags } from '../codes.ts';
import { fault, type Json } from '../faults.ts';
import { keepAttachments } from '../edits.ts';
import {
  checkNotEmpty,
  checkPromisedFiles,
  checkVoiceMessage,
  makeAttachments,
  readMessageBody,
  settableFlags,
} from '../message-body.ts';
import { deleteMessage, editMessage, postMessage } from '../posting.ts';
import { renderMessage } from '../render.ts';
import { objectBody, type Call } from '../router.ts';
import type { Interaction, Message } from '../state.ts';

/** How long an interaction can be answered (reference, "Receiving and responding"). */
const TOKEN_LIFE_MS = 15 * 60_000;
/** Follow-ups where the application is there through one person's account only. */
const MOST_FOLLOW_UPS = 5;

/** A message of the bot that answers an interaction; `extraFlags` for the state of deferring. */
export const postAnswer = (
  call: Call,
  interaction: Interaction,
  raw: Json,
  extraFlags = 0,
): Message => {
  const { world } = call;
  const body = readMessageBody(raw);
  const flags = settableFlags(body) | extraFlags;
  const { channel } = interaction;
  checkPromisedFiles(body, call.files);
  const ephemeral = Boolean(flags & MessageFlags.Ephemeral);
  const attachments = makeAttachments(world, channel.id, body, call.files, ephemeral);
  checkVoiceMessage(body, attachments);
  const draft = {
    channel,
    author: world.bot,
    applicationId: world.applicationId,
    content: body.content ?? '',
    flags,
    attachments,
    embeds: (body.embeds ?? []) as Json[],
    components: (body.components ?? []) as Json[],
    stickers: [],
    poll: (body.poll ?? undefined) as Json | undefined,
    interaction,
    type: interaction.type === 2 ? 20 : 0,
    allowedMentions: body.allowed_mentions,
  };
  if (!(extraFlags & MessageFlags.Loading)) checkNotEmpty(draft);
  for (const one of attachments) world.attachments.set(one.id, one);
  return postMessage(world, draft);
};

/** Edits what an interaction shows. The first edit of a deferred answer is its appearance. */
export const changeAnswer = (call: Call, message: Message, raw: Json): void => {
  const { world } = call;
  const loading = Boolean(message.flags & MessageFlags.Loading);
  const body = readMessageBody(raw, message.flags);
  const change = keepAttachments(world, message, body, call.files);
  const flags = (change.flags ?? 0) & ~MessageFlags.Loading;
  editMessage(world, message, { ...change, flags });
  if (loading) message.edits = 0;
};

const interactionOf = (call: Call): Interaction => {
  const { world } = call;
  const interaction = world.interactions.get(call.param(1));
  // Interactions are known by their ids too, which open nothing.
  if (interaction?.token !== call.param(1) || interaction.answer === undefined) throw fault(10015);
  if (interaction.createdAt + TOKEN_LIFE_MS <= world.clock.now()) throw fault(50027);
  return interaction;
};

export const createFollowUp = (call: Call): unknown => {
  const { world } = call;
  const interaction = interactionOf(call);
  const { original } = interaction;
  // The first follow-up of a deferred answer takes its place.
  if (original !== undefined && !original.deleted && original.flags & MessageFlags.Loading) {
    changeAnswer(call, original, { ...objectBody(call), flags: undefined });
    return renderMessage(world, original, true);
  }
  if (interaction.userInstalledOnly && interaction.followUps.length >= MOST_FOLLOW_UPS)
    throw fault(40094);
  const message = postAnswer(call, interaction, objectBody(call));
  interaction.followUps.push(message);
  world.changed();
  return renderMessage(world, message, true);
};

const targetOf = (call: Call): Message => {
  const { original, followUps } = interactionOf(call);
  const id = call.param(2);
  const message =
    id === '@original' ? original : [original, ...followUps].find((one) => one?.id === id);
  if (message === undefined || message.deleted) throw fault(10008);
  return message;
};

export const readAnswer = (call: Call): unknown => renderMessage(call.world, targetOf(call), true);

export const editAnswer = (call: Call): unknown => {
  const message = targetOf(call);
  changeAnswer(call, message, objectBody(call));
  return renderMessage(call.world, message, true);
};

export const deleteAnswer = (call: Call): unknown => {
  deleteMessage(call.world, targetOf(call));
  return undefined;
};
