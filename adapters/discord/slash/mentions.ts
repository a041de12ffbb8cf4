import { ApplicationCommandOptionType, ApplicationCommandType } from 'discord.js';
import type { CommandInfo } from '../../../src/model/command-info.ts';
import type { Content } from '../../../src/model/message.ts';
import { asText, map } from '../../../src/rich-text/walk.ts';
import { mention, OWN, type RichText } from '../../../src/rich-text/rich-text.ts';
import { PLATFORM } from '../ids.ts';
import type { CommandBody } from './commands.ts';

/** A command as Discord returns it (reference, "Application Command Object"). */
export type RegisteredCommand = CommandBody & {
  readonly id: string;
  readonly options?: readonly {
    readonly type: ApplicationCommandOptionType;
    readonly name: string;
  }[];
};

export type CommandMentions = ReturnType<typeof createCommandMentions>;

/**
 * Creates the memory of the ids of our registered commands, with which a command in a text is one that people press. Until
 * they are known, and for what Discord does not have, it is code.
 */
export const createCommandMentions = () => {
  /** The path that a mention names, and the id of its command, by the names of commands. */
  let known: ReadonlyMap<string, { readonly name: string; readonly id: string }> = new Map();
  /** A text with our commands as Discord mentions them. */
  const within = (tree: RichText): RichText =>
    map(tree, (node) => {
      if (node.kind !== 'mention' || node.platform !== OWN) return node;
      const command = known.get(node.id);
      return command ? mention(PLATFORM, 'command', command.id, command.name) : asText(node);
    });
  return {
    /** @param infos our commands: one that is typed alone is mentioned as the action that it runs */
    learn: (
      registered: readonly RegisteredCommand[],
      infos: readonly Pick<CommandInfo, 'name' | 'alone'>[],
    ): void => {
      const slash = registered.filter(({ type }) => type === ApplicationCommandType.ChatInput);
      const found = slash.flatMap(({ id, name, options = [] }) => {
        const actions = options.filter(
          ({ type }) => type === ApplicationCommandOptionType.Subcommand,
        );
        const names = actions.map((action) => `${name} ${action.name}`);
        return (names.length > 0 ? names : [name]).map(
          (each) => [each, { name: each, id }] as const,
        );
      });
      const byName = new Map(found);
      for (const { name, alone } of infos) {
        const action = alone && byName.get(name);
        if (action) byName.set(name.split(' ', 1).join(), action);
      }
      known = byName;
    },
    within,
    /** The content with our commands as Discord mentions them. */
    on: <Shown extends Pick<Content, 'text'>>(content: Shown): Shown => ({
      ...content,
      text: within(content.text),
    }),
  };
};
