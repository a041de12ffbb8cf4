import {
  ComponentType,
  ApplicationCommandType,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  type APIApplicationCommandInteraction,
  type APIInteraction,
  type APIMessage,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandOptionChoice,
} from 'discord.js';
import { createLru } from '../../../src/async/lru.ts';
import type { Core } from '../../../src/adapter.ts';
import type { Invocation } from '../../../src/ports/platform.ts';
import type { OpenAnswers } from '../../../src/ports/store.ts';
import {
  enteredIn,
  openForm,
  commandOf,
  isBotThere,
  memberOf,
  placeOf,
  valuesOf,
  type UsedInteraction,
} from './invocations.ts';
import { createAnswer, type AnswerDeps, type InteractionAnswer } from './answer.ts';
import { awaitedBy } from './open-answers.ts';
import { createAcknowledge, type Acknowledge } from './acknowledge.ts';
import type { Api } from '../api.ts';
import type { OpenRemoteFile } from '../files.ts';
import { guildIdOf, PLATFORM } from '../ids.ts';
import type { MessageReader } from '../inbound/message-reader.ts';
import { parseDiscord } from '../rich-text/parse.ts';
import {
  formOfPress,
  isPrivatePress,
  isPrivateUse,
  type Choice,
} from '../../../src/model/command-info.ts';
import { offers, type ShownControl } from '../../../src/model/shown-control.ts';
import { shorten } from '../../../src/text/quoted-words.ts';
import { CHOICE_CHARS } from '../limits.ts';

/** The choices that Discord takes, best first: no two may be called the same. */
const choicesOf = (found: readonly Choice[]): APIApplicationCommandOptionChoice<string>[] => {
  const byName = new Map<string, string>();
  for (const { value, label } of found) {
    const name = shorten(label, CHOICE_CHARS);
    if (value.length <= CHOICE_CHARS && !byName.has(name)) byName.set(name, value);
  }
  return [...byName].map(([name, value]) => ({ name, value }));
};

/** Offers what the core finds for the option that is being typed. */
const createCompletions =
  ({ core }: InteractionDeps) =>
  async (
    interaction: APIApplicationCommandAutocompleteInteraction,
    acknowledge: Acknowledge,
  ): Promise<void> => {
    const { name, options } = commandOf(interaction.data.name, interaction.data.options);
    const option = options.find((each) => 'focused' in each && each.focused);
    const found = await core.complete({
      command: name,
      option: option?.name ?? '',
      typed: String(option?.value ?? ''),
      member: memberOf(interaction),
      space: placeOf(interaction).space,
    });
    await acknowledge(interaction, {
      type: InteractionResponseType.ApplicationCommandAutocompleteResult,
      data: { choices: choicesOf(found) },
    });
  };

export interface InteractionDeps {
  readonly openAnswers: Pick<OpenAnswers, 'begin'>;
  readonly api: Api;
  readonly core: Core;
  readonly reader: MessageReader;
  readonly openFile: OpenRemoteFile;
  readonly shown: AnswerDeps['shown'];
}

export type Interactions = ReturnType<typeof createInteractions>;

type Asked = Pick<Invocation, 'id' | 'member' | 'channel' | 'isGuest' | 'signal' | 'answer'>;

const createInteractionAnswers = (
  { api, core: { log }, openAnswers, shown }: InteractionDeps,
  stopped: AbortSignal,
) => {
  const live = new Set<InteractionAnswer>();
  return {
    /** Acknowledges an interaction, and shows what `work` does as the answer to it. */
    answer: async (
      interaction: UsedInteraction,
      isPrivate: boolean,
      acknowledge: () => Promise<boolean>,
      work: (asked: Asked) => Promise<void>,
    ): Promise<void> => {
      const { id, application_id: applicationId, token, type } = interaction;
      const channel = placeOf(interaction);
      const answer = createAnswer({
        api,
        log,
        shown,
        interaction: { applicationId, token },
        channel,
        isPrivate,
        botIsThere: isBotThere(interaction),
        fileBytes: interaction.attachment_size_limit,
        isNew: type === InteractionType.ApplicationCommand,
      });
      live.add(answer);
      const ended = openAnswers.begin(awaitedBy(interaction));
      try {
        if (!(await acknowledge())) return;
        const signal = AbortSignal.any([answer.signal, stopped]);
        const isGuest = guildIdOf(channel) === undefined || !isBotThere(interaction);
        await work({ id, member: memberOf(interaction), channel, isGuest, signal, answer });
      } finally {
        live.delete(answer);
        ended();
      }
    },
    /** Messages, channels or spaces with these ids are gone. */
    lost: (ids: readonly string[]): void => {
      for (const each of live) each.lost(ids);
    },
  };
};

type InteractionAnswers = ReturnType<typeof createInteractionAnswers>;

const newAnswer = (isPrivate: boolean) => ({
  type: InteractionResponseType.DeferredChannelMessageWithSource,
  data: isPrivate ? { flags: MessageFlags.Ephemeral } : {},
});

/** Commands that were typed, or chosen in the menu of a message. */
const createCommandUse =
  ({ core, reader, openFile }: InteractionDeps, { answer }: InteractionAnswers) =>
  async (
    interaction: APIApplicationCommandInteraction,
    acknowledge: Acknowledge,
  ): Promise<void> => {
    const { data } = interaction;
    const infos = core.commands('en', PLATFORM);
    const isSlash = data.type === ApplicationCommandType.ChatInput;
    const used = isSlash
      ? commandOf(data.name, data.options)
      : { name: infos.find(({ menu }) => menu === data.name)?.name ?? data.name, options: [] };
    const info = infos.find(({ name }) => name === used.name);
    const isPrivate =
      !isSlash || (info !== undefined && isPrivateUse(info, memberOf(interaction).role));
    const acknowledged = async () => acknowledge(interaction, newAnswer(isPrivate));
    const target =
      data.type === ApplicationCommandType.Message
        ? data.resolved.messages[data.target_id]
        : undefined;
    const resolved = isSlash ? data.resolved : undefined;
    await answer(interaction, isPrivate, acknowledged, async (asked) =>
      core.dispatch({
        ...asked,
        command: used.name,
        readText: parseDiscord,
        options: valuesOf(used.options, resolved, interaction.guild_id, openFile),
        ...(target ? { on: reader.read(target, asked.channel) } : {}),
      }),
    );
  };

/** The control of a message that has this id; undefined where it shows none that can be used. */
const controlIn = (message: APIMessage | undefined, id: string): ShownControl | undefined => {
  const used = message?.components
    ?.flatMap((row) => (row.type === ComponentType.ActionRow ? row.components : []))
    .find((each) => 'custom_id' in each && each.custom_id === id);
  if (!used || used.disabled) return undefined;
  if (used.type === ComponentType.Button) return { offered: [] };
  const bounds = { least: used.min_values ?? 1, most: used.max_values ?? 1 };
  if (used.type === ComponentType.StringSelect)
    return {
      ...bounds,
      offered: used.options.map(({ value }) => value),
      chosen: used.options.filter((option) => option.default).map(({ value }) => value),
    };
  return { ...bounds, chosen: used.default_values?.map((each) => each.id) ?? [] };
};

const createPress =
  ({ core }: InteractionDeps, { answer }: InteractionAnswers) =>
  async (
    interaction: APIMessageComponentInteraction | APIModalSubmitInteraction,
    acknowledge: Acknowledge,
  ): Promise<void> => {
    const { data, message } = interaction;
    const isSubmitted = interaction.type === InteractionType.ModalSubmit;
    const infos = core.commands(memberOf(interaction).locale, PLATFORM);
    const form = formOfPress(infos, data.custom_id);
    const values = isSubmitted ? enteredIn(interaction.data) : 'values' in data ? data.values : [];
    const pressed = controlIn(message, data.custom_id);
    // What is entered in a form is offered by no control.
    const control = isSubmitted ? form && pressed && {} : pressed;
    const isOffered = offers(control, values);
    const by = { member: memberOf(interaction), channel: placeOf(interaction) };
    if (
      form &&
      !isSubmitted &&
      isOffered &&
      (await core.admits({ ...by, press: data.custom_id }))
    ) {
      await acknowledge(interaction, openForm(data.custom_id, form));
      return;
    }
    const isOwn = ((message?.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
    // Under what the presser alone sees, the answer takes its place as ever.
    const staysBeside =
      !isOffered || (isPrivatePress(infos, data.custom_id, by.member.role) && !isOwn);
    const response = staysBeside
      ? newAnswer(true)
      : { type: InteractionResponseType.DeferredMessageUpdate };
    const acknowledged = async () => acknowledge(interaction, response);
    await answer(interaction, isOwn || staysBeside, acknowledged, async (asked) =>
      core.press({ ...asked, press: data.custom_id, values, control }),
    );
  };

/** Interactions whose ids are remembered: two sessions take each while the number of shards changes. */
const KNOWN_INTERACTIONS = 2_000;

/** Creates what answers the interactions of all shards of this process. */
export const createInteractions = (deps: InteractionDeps) => {
  const { api, core } = deps;
  const { log } = core;
  const stopped = new AbortController();
  const running = new Set<Promise<void>>();
  const seen = createLru<string, true>(KNOWN_INTERACTIONS);
  const answering = createInteractionAnswers(deps, stopped.signal);
  const use = createCommandUse(deps, answering);
  const press = createPress(deps, answering);
  const complete = createCompletions(deps);

  const handle = async (interaction: APIInteraction, acknowledge: Acknowledge): Promise<void> => {
    switch (interaction.type) {
      case InteractionType.ApplicationCommand:
        return use(interaction, acknowledge);
      case InteractionType.MessageComponent:
      case InteractionType.ModalSubmit:
        return press(interaction, acknowledge);
      case InteractionType.ApplicationCommandAutocomplete:
        return complete(interaction, acknowledge);
      case InteractionType.Ping:
        log.debug({ type: interaction.type }, 'unexpected interaction');
    }
  };

  return {
    /**
     * Acknowledges it at once, then lets the core do it. Settles when it is done; never rejects.
     *
     * @param isHeld false once another process may have the shard, which then answers
     */
    take: async (interaction: APIInteraction, isHeld: () => boolean): Promise<void> => {
      if (seen.get(interaction.id)) return;
      seen.set(interaction.id, true);
      const doing = handle(interaction, createAcknowledge(api, log, isHeld));
      running.add(doing);
      try {
        await doing;
      } catch (thrown) {
        log.error({ err: thrown, type: interaction.type }, 'interaction failed');
      } finally {
        running.delete(doing);
      }
    },
    lost: answering.lost,
    /** Ends what is being done; resolves when it has ended. */
    stop: async (): Promise<void> => {
      stopped.abort();
      await Promise.allSettled(running);
    },
  };
};
