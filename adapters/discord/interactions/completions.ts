import {
  InteractionResponseType,
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandOptionChoice,
} from 'discord.js';
import type { Choice } from '../../../src/model/command-info.ts';
import type { Core } from '../../../src/adapter.ts';
import { shorten } from '../../../src/text/quoted-words.ts';
import type { Acknowledge } from './acknowledge.ts';
import { commandOf, memberOf, placeOf } from './invocations.ts';
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
export const createCompletions =
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
