import { PermissionFlagsBits } from 'discord.js';
import { InteractionType } from '../codes.ts';
import { flatten } from '../components.ts';
import type { Json } from '../faults.ts';
import { permissionsIn } from '../permissions.ts';
import { joinGuild } from '../population.ts';
import { renderMessage, renderUser } from '../render.ts';
import type { Channel, Command, User, World } from '../state.ts';
import { characters } from '../validation.ts';
import { begin, contextOf } from './begin.ts';
import type { FakeChannel } from './channel.ts';
import type { FakeInteraction } from './interaction.ts';
import { FakeMessage } from './message.ts';
import { readOptions, type OptionValue } from './options.ts';
import type { Tools } from './tools.ts';
import { FakeUser } from './user.ts';

export interface CommandUse {
  /** Where it is used; with `target` a message, that message's channel is the default. */
  readonly channel?: FakeChannel;
  /** As it is typed, subcommands with spaces: `glossary add`. */
  readonly name: string;
  readonly options?: Readonly<Record<string, OptionValue>>;
  /** What an entry of a context menu was chosen on. */
  readonly target?: FakeMessage | FakeUser;
  /** Default: the person's. */
  readonly locale?: string;
}

const findCommand = (world: World, channel: Channel, name: string, type: number): Command => {
  const own = world.guildCommands.get(channel.guild?.id ?? '') ?? new Map<string, Command>();
  const all = [...own.values(), ...world.globalCommands.values()];
  const found = all.find((one) => one.name === name && one.type === type);
  if (found === undefined)
    throw new Error(`no command ${name}; there are: ${all.map((one) => one.name).join(', ')}`);
  return found;
};

/** What the person's app hides or greys out. */
const checkUsable = (world: World, user: User, channel: Channel, command: Command): void => {
  const context = contextOf(world, channel);
  const contexts = (command['contexts'] ?? undefined) as number[] | undefined;
  const fits =
    contexts === undefined
      ? context !== 1 || command['dm_permission'] !== false
      : contexts.includes(context);
  if (!fits) throw new Error(`${command.name} is not offered in context ${context}`);
  if (channel.guild === undefined) return;
  if (!channel.guild.members.has(user.id)) joinGuild(world, channel.guild, user, []);
  const own = permissionsIn(world, channel, user.id);
  if (!(own & PermissionFlagsBits.UseApplicationCommands))
    throw new Error(`${user.name} may not use commands here`);
  const needed = command['default_member_permissions'];
  if (typeof needed !== 'string') return;
  const bits = BigInt(needed);
  const administers = (own & PermissionFlagsBits.Administrator) !== 0n;
  if (!administers && (bits === 0n || (own & bits) !== bits))
    throw new Error(`${user.name} may not use ${command.name}`);
};

const commandData = (
  { world }: Tools,
  channel: Channel,
  command: Command,
  use: CommandUse,
  path: readonly string[],
  focused: string | undefined,
): Json => {
  const data: Json = {
    id: command.id,
    name: command.name,
    type: command.type,
    ...(command['guild_id'] === undefined ? {} : { guild_id: command['guild_id'] }),
  };
  if (use.target instanceof FakeMessage) {
    const message = renderMessage(world, use.target.state, true);
    return {
      ...data,
      target_id: use.target.id,
      resolved: { messages: { [use.target.id]: message } },
    };
  }
  if (use.target instanceof FakeUser) {
    const { id, user } = use.target;
    return { ...data, target_id: id, resolved: { users: { [id]: renderUser(user) } } };
  }
  const { options, resolved } = readOptions(
    world,
    channel,
    command,
    path,
    use.options ?? {},
    focused,
  );
  return { ...data, options, ...(Object.keys(resolved).length > 0 ? { resolved } : {}) };
};

const start = (
  tools: Tools,
  by: FakeUser,
  use: CommandUse,
  focused: string | undefined,
): FakeInteraction => {
  const { target } = use;
  const channel = (use.channel ?? (target instanceof FakeMessage ? target.channel : undefined))
    ?.state;
  if (channel === undefined) throw new Error('say in which channel the command is used');
  const type = target === undefined ? 1 : target instanceof FakeMessage ? 3 : 2;
  const [word = '', ...path] = type === 1 ? use.name.split(' ') : [use.name];
  const command = findCommand(tools.world, channel, word, type);
  checkUsable(tools.world, by.user, channel, command);
  return begin(tools, {
    type:
      focused === undefined
        ? InteractionType.ApplicationCommand
        : InteractionType.ApplicationCommandAutocomplete,
    user: by.user,
    channel,
    command,
    locale: use.locale,
    data: commandData(tools, channel, command, use, path, focused),
  });
};

export interface InteractionDriver {
  /** Uses a slash command, or with `target` an entry of a context menu. */
  command(by: FakeUser, use: CommandUse): FakeInteraction;
  /** Types into an option that completes itself; resolves with what is offered. */
  autocomplete(
    by: FakeUser,
    use: CommandUse & { readonly focused: string },
  ): Promise<NonNullable<FakeInteraction['choices']>>;
  /** Presses a button of a message, or chooses `values` of a select. */
  press(
    by: FakeUser,
    message: FakeMessage,
    customId: string,
    values?: readonly string[],
  ): FakeInteraction;
  /** Sends a press that the message does not offer, as a changed app can. */
  forge(
    by: FakeUser,
    message: FakeMessage,
    customId: string,
    values?: readonly string[],
  ): FakeInteraction;
  /** Fills in and sends the dialog that an interaction has opened; by custom id. */
  submit(
    opened: FakeInteraction,
    fields: Readonly<Record<string, string | readonly string[]>>,
  ): FakeInteraction;
}

const checkValues = (component: Json, values: readonly string[]): void => {
  const options = component['options'] as { value: string }[] | undefined;
  const least = Number(component['min_values'] ?? 1);
  const most = Number(component['max_values'] ?? 1);
  if (values.length < least || values.length > most)
    throw new Error(`the menu takes ${least} to ${most} values`);
  const strange = values.find((one) => options && !options.some((known) => known.value === one));
  if (strange !== undefined) throw new Error(`the menu has no option ${strange}`);
};

const fillIn = (
  component: Json,
  fields: Readonly<Record<string, string | readonly string[]>>,
): Json => {
  const id = String(component['custom_id']);
  const given = fields[id];
  const base = { type: component['type'], id: component['id'] ?? 0, custom_id: id };
  if (component['type'] !== 4) return { ...base, values: [given ?? []].flat() };
  const value = typeof given === 'string' ? given : ((component['value'] ?? '') as string);
  const required = component['required'] !== false;
  const size = characters(value);
  const least = Number(component['min_length'] ?? 0);
  if ((required && size === 0) || (size > 0 && size < least))
    throw new Error(`the dialog needs ${id}`);
  if (size > Number(component['max_length'] ?? 4000)) throw new Error(`${id} is too long`);
  return { ...base, value };
};

export const createInteractionDriver = (tools: Tools): InteractionDriver => ({
  command: (by, use) => start(tools, by, use, undefined),
  autocomplete: async (by, use) => {
    const interaction = start(tools, by, use, use.focused);
    await interaction.until((it) => it.choices !== undefined);
    return interaction.choices ?? [];
  },
  press: (by, message, customId, values) => {
    const { state } = message;
    const component = flatten(state.components).find((one) => one['custom_id'] === customId);
    if (component === undefined || state.deleted)
      throw new Error(`the message shows no ${customId}`);
    if (component['disabled'] === true) throw new Error(`${customId} is disabled`);
    if (component['type'] !== 2) checkValues(component, values ?? []);
    return begin(tools, {
      type: InteractionType.MessageComponent,
      user: by.user,
      channel: state.channel,
      message: state,
      data: {
        custom_id: customId,
        component_type: component['type'],
        ...(component['type'] === 2 ? {} : { values: values ?? [] }),
      },
    });
  },
  forge: (by, { state }, customId, values) =>
    begin(tools, {
      type: InteractionType.MessageComponent,
      user: by.user,
      channel: state.channel,
      message: state,
      data: {
        custom_id: customId,
        component_type: values ? 3 : 2,
        ...(values ? { values } : {}),
      },
    }),
  submit: (opened, fields) => {
    const { modal, user, channel, message } = opened.state;
    if (modal === undefined) throw new Error('no dialog was opened');
    const rows = (modal['components'] as Json[]).map((one) => {
      if (one['type'] === 18)
        return {
          type: 18,
          id: one['id'] ?? 0,
          component: fillIn(one['component'] as Json, fields),
        };
      const inner = (one['components'] ?? []) as Json[];
      return {
        type: one['type'],
        id: one['id'] ?? 0,
        components: inner.map((each) => fillIn(each, fields)),
      };
    });
    return begin(tools, {
      type: InteractionType.ModalSubmit,
      user,
      channel,
      ...(message ? { message } : {}),
      data: { custom_id: modal['custom_id'], components: rows },
    });
  },
});
