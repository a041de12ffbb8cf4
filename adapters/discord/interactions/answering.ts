import { InteractionType } from 'discord.js';
import type { Log } from '../../../src/log.ts';
import type { Invocation } from '../../../src/ports/platform.ts';
import { createAnswer, type InteractionAnswer } from './answer.ts';
import type { Api } from '../api.ts';
import { isBotThere, memberOf, placeOf, type Used } from './invocations.ts';

/** What commands and presses tell the core alike. */
type Asked = Pick<Invocation, 'id' | 'member' | 'channel' | 'signal' | 'answer'>;

/** The answers that are being given. */
export interface InteractionAnswers {
  /** Shows what `work` does as the answer to an interaction that was acknowledged. */
  readonly answer: (
    interaction: Used,
    isPrivate: boolean,
    work: (asked: Asked) => Promise<void>,
  ) => Promise<void>;
  /** Messages, channels or spaces with these ids are gone. */
  lost(ids: readonly string[]): void;
}

export const createInteractionAnswers = (
  api: Api,
  log: Log,
  stopped: AbortSignal,
): InteractionAnswers => {
  const live = new Set<InteractionAnswer>();
  return {
    answer: async (interaction, isPrivate, work) => {
      const { id, application_id: applicationId, token, type } = interaction;
      const channel = placeOf(interaction);
      const answer = createAnswer({
        api,
        log,
        interaction: { applicationId, token },
        channel,
        isPrivate,
        botIsThere: isBotThere(interaction),
        fileBytes: interaction.attachment_size_limit,
        isNew: type === InteractionType.ApplicationCommand,
      });
      live.add(answer);
      try {
        const signal = AbortSignal.any([answer.signal, stopped]);
        await work({ id, member: memberOf(interaction), channel, signal, answer });
      } finally {
        live.delete(answer);
      }
    },
    lost: (ids) => {
      for (const each of live) each.lost(ids);
    },
  };
};
