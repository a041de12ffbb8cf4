import {
  ApplicationCommandType,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  type APIApplicationCommandInteraction,
  type APIInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandOptionChoice,
} from 'discord.js';
import type { Core } from '../../../src/adapter.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Invocation } from '../../../src/ports/platform.ts';
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
import { createAnswer, type InteractionAnswer } from './answer.ts';
import type { Acknowledge } from './acknowledge.ts';
import type { Api } from '../api.ts';
import type { OpenRemoteFile } from '../files.ts';
import { PLATFORM } from '../ids.ts';
import type { MessageReader } from '../inbound/message-reader.ts';
import { parseDiscord } from '../rich-text/parse.ts';
import { formOfPress, type Choice } from '../../../src/model/command-info.ts';
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
  (core: Core, acknowledge: Acknowledge) =>
  async (interaction: APIApplicationCommandAutocompleteInteraction): Promise<void> => {
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
  readonly api: Api;
  readonly core: Core;
  readonly acknowledge: Acknowledge;
  readonly reader: MessageReader;
  readonly openFile: OpenRemoteFile;
}

export type Interactions = ReturnType<typeof createInteractions>;

type Asked = Pick<Invocation, 'id' | 'member' | 'channel' | 'signal' | 'answer'>;

const createInteractionAnswers = (api: Api, log: Log, stopped: AbortSignal) => {
  const live = new Set<InteractionAnswer>();
  return {
    /** Shows what `work` does as the answer to an interaction that was acknowledged. */
    answer: async (
      interaction: UsedInteraction,
      isPrivate: boolean,
      work: (asked: Asked) => Promise<void>,
    ): Promise<void> => {
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
const createCommandUse = (
  { core, acknowledge, reader, openFile }: InteractionDeps,
  { answer }: InteractionAnswers,
) => {
  const infos = new Map(core.commands('en', PLATFORM).map((info) => [info.name, info]));
  const byMenu = new Map([...infos.values()].map((info) => [info.menu, info.name]));
  return async (interaction: APIApplicationCommandInteraction): Promise<void> => {
    const { data } = interaction;
    const isSlash = data.type === ApplicationCommandType.ChatInput;
    const used = isSlash
      ? commandOf(data.name, data.options)
      : { name: byMenu.get(data.name) ?? data.name, options: [] };
    const isPrivate = !isSlash || (infos.get(used.name)?.private ?? false);
    if (!(await acknowledge(interaction, newAnswer(isPrivate)))) return;
    const target =
      data.type === ApplicationCommandType.Message
        ? data.resolved.messages[data.target_id]
        : undefined;
    const resolved = isSlash ? data.resolved : undefined;
    await answer(interaction, isPrivate, async (asked) =>
      core.dispatch({
        ...asked,
        command: used.name,
        readText: parseDiscord,
        options: valuesOf(used.options, resolved, interaction.guild_id, openFile),
        ...(target ? { on: reader.read(target, asked.channel) } : {}),
      }),
    );
  };
};

const createPress = ({ core, acknowledge }: InteractionDeps, { answer }: InteractionAnswers) => {
  const infos = core.commands('en', PLATFORM);
  const privatePresses = new Set(infos.flatMap((info) => info.privatePresses ?? []));
  return async (
    interaction: APIMessageComponentInteraction | APIModalSubmitInteraction,
  ): Promise<void> => {
    const { data, message } = interaction;
    const isSubmitted = interaction.type === InteractionType.ModalSubmit;
    const form = isSubmitted
      ? undefined
      : formOfPress(core.commands(memberOf(interaction).locale, PLATFORM), data.custom_id);
    if (form) {
      await acknowledge(interaction, openForm(data.custom_id, form));
      return;
    }
    const [press = ''] = data.custom_id.split(':', 1);
    const isOwn = ((message?.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
    // Under what the presser alone sees, the answer takes its place as ever.
    const staysBeside = privatePresses.has(press) && !isOwn;
    const response = staysBeside
      ? newAnswer(true)
      : { type: InteractionResponseType.DeferredMessageUpdate };
    if (!(await acknowledge(interaction, response))) return;
    const values = isSubmitted ? enteredIn(interaction.data) : 'values' in data ? data.values : [];
    await answer(interaction, isOwn || staysBeside, async (asked) =>
      core.press({ ...asked, press: data.custom_id, values }),
    );
  };
};

export const createInteractions = (deps: InteractionDeps) => {
  const { api, core, acknowledge } = deps;
  const { log } = core;
  const stopped = new AbortController();
  const running = new Set<Promise<void>>();
  const answering = createInteractionAnswers(api, log, stopped.signal);
  const use = createCommandUse(deps, answering);
  const press = createPress(deps, answering);
  const complete = createCompletions(core, acknowledge);

  const handle = async (interaction: APIInteraction): Promise<void> => {
    switch (interaction.type) {
      case InteractionType.ApplicationCommand:
        return use(interaction);
      case InteractionType.MessageComponent:
      case InteractionType.ModalSubmit:
        return press(interaction);
      case InteractionType.ApplicationCommandAutocomplete:
        return complete(interaction);
      case InteractionType.Ping:
        log.debug({ type: interaction.type }, 'unexpected interaction');
    }
  };

  return {
    /** Acknowledges it at once, then lets the core do it. Settles when it is done; never rejects. */
    take: async (interaction: APIInteraction): Promise<void> => {
      const doing = handle(interaction);
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
    /** Resolves when what is being done has ended. */
    settled: async (): Promise<void> => {
      await Promise.allSettled(running);
    },
    /** Ends what is being done; resolves when it has ended. */
    stop: async (): Promise<void> => {
      stopped.abort();
      await Promise.allSettled(running);
    },
  };
};
