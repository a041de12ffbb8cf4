import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApplicationCommandType,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandInteraction,
  type APIApplicationCommandOptionChoice,
  type APIInteraction,
  type APIMessageComponentInteraction,
} from 'discord.js';
import type { Choice } from '../../src/command.ts';
import type { Core, Invocation } from '../../src/platform.ts';
import type { Acknowledge } from './acknowledge.ts';
import { createAnswer, type InteractionAnswer } from './answer.ts';
import type { Api } from './api.ts';
import type { OpenFile } from './files.ts';
import { PLATFORM } from './ids.ts';
import { commandOf, isBotThere, memberOf, placeOf, valuesOf, type Used } from './invocations.ts';
import type { MessageReader } from './message.ts';

export interface InteractionParts {
  readonly api: Api;
  readonly core: Core;
  readonly acknowledge: Acknowledge;
  readonly reader: MessageReader;
  readonly openFile: OpenFile;
}

export interface Interactions {
  /** Acknowledges it at once, then lets the core do it. Settles when it is done; never rejects. */
  take(interaction: APIInteraction): Promise<void>;
  /** Messages, channels or spaces with these ids are gone. */
  lost(ids: readonly string[]): void;
  /** Ends what is being done; resolves when it has ended. */
  stop(): Promise<void>;
}

/** People see nothing of what comes later than 300 ms after a key. */
const COMPLETION_MS = 250;
const CHOICES = 25;
const CHOICE_LIMIT = 100;

/** What Discord takes of what was found, best first: no two choices may be called the same. */
const choicesOf = (found: readonly Choice[]): APIApplicationCommandOptionChoice<string>[] => {
  const byName = new Map<string, string>();
  for (const { value, label } of found) {
    const name = Array.from(label).slice(0, CHOICE_LIMIT).join('');
    if (value.length <= CHOICE_LIMIT && !byName.has(name)) byName.set(name, value);
  }
  return [...byName].slice(0, CHOICES).map(([name, value]) => ({ name, value }));
};

export const createInteractions = (parts: InteractionParts): Interactions => {
  const { api, core, acknowledge, reader, openFile } = parts;
  const { log } = core;
  const stopped = new AbortController();
  const live = new Set<InteractionAnswer>();
  const running = new Set<Promise<void>>();
  const infos = new Map(core.commands('en', PLATFORM).map((info) => [info.name, info]));
  const byMenu = new Map([...infos.values()].map((info) => [info.menu, info.name]));

  /** Shows what `work` does as the answer to an interaction that was acknowledged. */
  const answer = async (
    interaction: Used,
    isPrivate: boolean,
    work: (
      common: Pick<Invocation, 'id' | 'member' | 'channel' | 'signal' | 'answer'>,
    ) => Promise<void>,
  ): Promise<void> => {
    const { id, application_id: applicationId, token } = interaction;
    const channel = placeOf(interaction);
    const botIsThere = isBotThere(interaction);
    const key = { applicationId, token };
    const isNew = interaction.type === InteractionType.ApplicationCommand;
    const shown = createAnswer({
      api,
      log,
      interaction: key,
      channel,
      isPrivate,
      botIsThere,
      isNew,
    });
    live.add(shown);
    try {
      const signal = AbortSignal.any([shown.signal, stopped.signal]);
      await work({ id, member: memberOf(interaction), channel, signal, answer: shown });
    } finally {
      live.delete(shown);
    }
  };

  const command = async (interaction: APIApplicationCommandInteraction): Promise<void> => {
    const { data } = interaction;
    const isSlash = data.type === ApplicationCommandType.ChatInput;
    const used = isSlash
      ? commandOf(data.name, data.options)
      : { name: byMenu.get(data.name) ?? data.name, options: [] };
    const isPrivate = !isSlash || (infos.get(used.name)?.private ?? false);
    const acknowledged = await acknowledge(interaction, {
      type: InteractionResponseType.DeferredChannelMessageWithSource,
      data: isPrivate ? { flags: MessageFlags.Ephemeral } : {},
    });
    if (!acknowledged) return;
    const target =
      data.type === ApplicationCommandType.Message
        ? data.resolved.messages[data.target_id]
        : undefined;
    const files = isSlash ? data.resolved?.attachments : {};
    await answer(interaction, isPrivate, async (common) =>
      core.dispatch({
        ...common,
        command: used.name,
        options: valuesOf(used.options, files, openFile),
        ...(target ? { on: reader.read(target, common.channel) } : {}),
      }),
    );
  };

  const press = async (interaction: APIMessageComponentInteraction): Promise<void> => {
    const { data, message } = interaction;
    const type = InteractionResponseType.DeferredMessageUpdate;
    if (!(await acknowledge(interaction, { type }))) return;
    const isPrivate = ((message.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
    await answer(interaction, isPrivate, async (common) =>
      core.press({
        ...common,
        press: data.custom_id,
        values: 'values' in data ? data.values : [],
      }),
    );
  };

  const complete = async (
    interaction: APIApplicationCommandAutocompleteInteraction,
  ): Promise<void> => {
    const { name, options } = commandOf(interaction.data.name, interaction.data.options);
    const option = options.find((each) => 'focused' in each && each.focused);
    const late = new AbortController();
    const found = await Promise.race([
      core.complete({
        command: name,
        option: option?.name ?? '',
        typed: String(option?.value ?? ''),
        member: memberOf(interaction),
        space: placeOf(interaction).space,
      }),
      sleep(COMPLETION_MS, [], { ref: false, signal: late.signal }),
    ]).finally(() => late.abort());
    await acknowledge(interaction, {
      type: InteractionResponseType.ApplicationCommandAutocompleteResult,
      data: { choices: choicesOf(found) },
    });
  };

  const handle = async (interaction: APIInteraction): Promise<void> => {
    switch (interaction.type) {
      case InteractionType.ApplicationCommand:
        return command(interaction);
      case InteractionType.MessageComponent:
        return press(interaction);
      case InteractionType.ApplicationCommandAutocomplete:
        return complete(interaction);
      case InteractionType.ModalSubmit:
      case InteractionType.Ping:
        log.debug({ type: interaction.type }, 'an interaction that nothing here asked for');
    }
  };

  return {
    take: async (interaction) => {
      const doing = handle(interaction);
      running.add(doing);
      try {
        await doing;
      } catch (thrown) {
        log.error({ err: thrown, type: interaction.type }, 'an interaction ended badly');
      } finally {
        running.delete(doing);
      }
    },
    lost: (ids) => {
      for (const each of live) each.lost(ids);
    },
    stop: async () => {
      stopped.abort();
      await Promise.allSettled(running);
    },
  };
};
