import { ResponseType, InteractionType, MessageFlags } from '../codes.ts';
import { z } from 'zod';
import { modalSchema } from '../components.ts';
import { fault, type Json } from '../faults.ts';
import { renderMessage } from '../render.ts';
import { objectBody, route, type Call, type Route } from '../router.ts';
import type { Interaction } from '../state.ts';
import { check, invalid, list, text } from '../validation.ts';
import { changeAnswer, postAnswer } from './answers.ts';

const choicesSchema = z.object({
  choices: list(
    z.object({
      name: text(100, 1),
      value: z.union([text(100, 1), z.number()]),
      name_localizations: z.unknown().optional(),
    }),
    25,
  ),
});

/** What each kind of interaction can be answered with. */
const ALLOWED: Readonly<Record<number, readonly number[]>> = {
  [InteractionType.ApplicationCommand]: [4, 5, 9, 12],
  [InteractionType.MessageComponent]: [4, 5, 6, 7, 9, 12],
  [InteractionType.ApplicationCommandAutocomplete]: [8],
  [InteractionType.ModalSubmit]: [4, 5, 6, 7],
};

const give = (call: Call, interaction: Interaction, type: number, data: Json): void => {
  const { message } = interaction;
  switch (type) {
    case ResponseType.ChannelMessageWithSource:
      interaction.original = postAnswer(call, interaction, data);
      return;
    case ResponseType.DeferredChannelMessageWithSource: {
      const ephemeral = Number(data['flags'] ?? 0) & MessageFlags.Ephemeral;
      interaction.original = postAnswer(call, interaction, {}, MessageFlags.Loading | ephemeral);
      return;
    }
    case ResponseType.DeferredMessageUpdate:
      interaction.original = message;
      return;
    case ResponseType.UpdateMessage:
      if (message !== undefined) changeAnswer(call, message, data);
      interaction.original = message;
      return;
    case ResponseType.ApplicationCommandAutocompleteResult:
      interaction.choices = check(choicesSchema, data).choices;
      return;
    default:
      interaction.modal = check(modalSchema, data);
  }
};

const callback = (call: Call): unknown => {
  const { world } = call;
  const interaction = world.interactions.get(call.param(0));
  const now = world.clock.now();
  if (interaction === undefined || interaction.token !== call.param(1)) throw fault(10062);
  if (interaction.answer !== undefined) throw fault(40060);
  if (interaction.createdAt + world.answerWithinMs <= now) throw fault(10062);
  const body = objectBody(call);
  const type = Number(body['type']);
  const data = (body['data'] ?? {}) as Json;
  const allowed = ALLOWED[interaction.type]?.includes(type) ?? false;
  if (!allowed || ((type === 6 || type === 7) && interaction.message === undefined))
    throw invalid(['type'], 'INTERACTION_RESPONSE_TYPE_INVALID', 'This type does not fit here');
  give(call, interaction, type, data);
  interaction.answer = {
    type,
    afterMs: now - interaction.createdAt,
    afterRealMs: Date.now() - interaction.createdRealMs,
    ephemeral: Boolean((interaction.original?.flags ?? 0) & MessageFlags.Ephemeral),
  };
  world.changed();
  if (call.query.get('with_response') !== 'true') return undefined;
  const { original } = interaction;
  return {
    interaction: {
      id: interaction.id,
      type: interaction.type,
      ...(original === undefined
        ? {}
        : {
            response_message_id: original.id,
            response_message_loading: Boolean(original.flags & MessageFlags.Loading),
            response_message_ephemeral: interaction.answer.ephemeral,
          }),
    },
    ...(original === undefined
      ? {}
      : { resource: { type, message: renderMessage(world, original, true) } }),
  };
};

export const interactionRoutes: readonly Route[] = [
  route('POST /interactions/:id/:token/callback', callback, { auth: false }),
];
