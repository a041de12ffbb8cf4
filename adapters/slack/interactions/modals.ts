import { randomUUID } from 'node:crypto';
import type { BlockSuggestion, ViewSubmitAction } from '@slack/bolt';
import { z } from 'zod';
import type { Api } from '../api.ts';
import { isPersonId, openDirectChannel, type People } from '../people.ts';
import { channelOf, PLATFORM } from '../ids.ts';
import { optionsOf, type Option } from '../outbound/blocks.ts';
import type { Mentions } from '../mentions.ts';
import { unescape } from '../rich-text/atoms.ts';
import type { AnswerPlace } from './answer.ts';
import { readMember, teamOf } from './invocations.ts';
import { commandModal, enteredValues, type Entered, type GivenValues } from './modal.ts';
import type { Core } from '../../../src/adapter.ts';
import { createLru } from '../../../src/async/lru.ts';
import { findChoice, readSwitch } from '../../../src/command/command-line.ts';
import { AppError } from '../../../src/errors.ts';
import {
  isPrivateUse,
  type Choice,
  type CommandInfo,
  type OptionInfo,
} from '../../../src/model/command-info.ts';
import type { Attachment } from '../../../src/model/message.ts';
import type { Member, Space } from '../../../src/model/place.ts';

export interface ModalsDeps {
  readonly api: Api;
  readonly core: Pick<Core, 'commands' | 'complete' | 'texts'>;
  readonly people: Pick<People, 'of'>;
  readonly mentions: Mentions;
  /** Opens a file that was put into a modal; undefined when it is gone. */
  readonly openUpload: (space: Space, fileId: string) => Promise<Attachment | undefined>;
}

type ModalPlace = Pick<AnswerPlace, 'channel' | 'threadTs' | 'responseUrl'>;
type Typed = Readonly<Record<string, string>>;

/** The use that opened a modal, as the modal's metadata keep it. */
const modalState = z.object({
  command: z.string(),
  channel: z.string(),
  thread: z.string().optional(),
  /** Key of the address for answers, which is kept in memory. */
  use: z.string(),
});

/** Uses whose address is remembered while their modal is open. */
const OPEN_MODALS = 2_000;

const channelId = /^<#(?<id>[A-Z0-9]+)/;

export type Modals = ReturnType<typeof createModals>;

/** Creates what asks for the options of a command in a modal, and reads what people enter. */
export const createModals = ({ api, core, people, mentions, openUpload }: ModalsDeps) => {
  const addresses = createLru<string, string>(OPEN_MODALS);

  const commandNamed = (name: string, { locale }: Member): CommandInfo => {
    const found = core.commands(locale, PLATFORM).find((each) => each.name === name);
    if (!found) throw new AppError('not-found', 'there is no such command');
    return found;
  };

  /** The choice that a typed value means, as it is offered in the option's menu. */
  const completed = async (
    space: Space,
    member: Member,
    command: CommandInfo,
    option: OptionInfo,
    typed: string,
  ): Promise<readonly Choice[]> => {
    const values = option.several ? typed.split(',').map((value) => value.trim()) : [typed];
    const found = await Promise.all(
      values.map(async (value) => {
        const asked = { command: command.name, option: option.name, typed: value, member, space };
        const choices = await core.complete(asked);
        return findChoice(choices, value) ?? choices[0];
      }),
    );
    return found.filter((choice) => choice !== undefined);
  };

  const givenFor = async (
    space: Space,
    member: Member,
    command: CommandInfo,
    typed: Typed,
  ): Promise<GivenValues> => {
    const label = core.texts.in(member.locale);
    const choicesOf = async (option: OptionInfo, value: string): Promise<readonly Choice[]> => {
      if (option.kind === 'channel') {
        const id = channelId.exec(value)?.groups?.['id'];
        return id === undefined ? [] : [{ value: id, label: id }];
      }
      if (option.kind === 'boolean') {
        const isOn = readSwitch(value);
        return isOn === undefined
          ? []
          : [{ value: String(isOn), label: label(isOn ? 'slack.yes' : 'slack.no') }];
      }
      if (option.rich) return [{ value, label: value }];
      const plain = unescape(value);
      if (option.choices) return [findChoice(option.choices, plain)].filter((one) => !!one);
      return option.autocompletes
        ? completed(space, member, command, option, plain)
        : [{ value: plain, label: plain }];
    };
    const given = command.options.map(async (option) => {
      const value = typed[option.name];
      return [option.name, value === undefined ? [] : await choicesOf(option, value)] as const;
    });
    return Object.fromEntries(await Promise.all(given));
  };

  /** Opens the modal of a command; what was typed already stands in it. */
  const open = async (
    space: Space,
    member: Member,
    command: CommandInfo,
    typed: Typed,
    triggerId: string,
    { channel, threadTs, responseUrl }: ModalPlace,
  ): Promise<void> => {
    const use = randomUUID();
    if (responseUrl !== undefined) addresses.set(use, responseUrl);
    const label = core.texts.in(member.locale);
    const state: z.infer<typeof modalState> = {
      command: command.name,
      channel: channel.id,
      thread: threadTs,
      use,
    };
    const given = await givenFor(space, member, command, typed);
    const view = commandModal(command, given, JSON.stringify(state), label);
    await api.call(space, 'views.open', { trigger_id: triggerId, view }, { once: true });
  };

  const readEntered = async (space: Space, value: Entered): Promise<unknown> => {
    if (typeof value === 'string') return value;
    return 'fileId' in value ? openUpload(space, value.fileId) : mentions.named(space, value);
  };

  return {
    open,
    /** Opens the modal of a command that is used from App Home: its answer is a direct message. */
    openFromHome: async (
      space: Space,
      member: Member,
      name: string,
      triggerId: string,
    ): Promise<void> => {
      await open(space, member, commandNamed(name, member), {}, triggerId, {
        channel: channelOf(space.id, member.id),
        responseUrl: undefined,
      });
    },
    /**
     * Reads a modal that was sent: a command with the options that somebody entered, and where its answer
     * goes. Rejects with `not-found` for one of a command that is gone.
     */
    submitted: async (body: ViewSubmitAction) => {
      const space = teamOf(body);
      const state = modalState.parse(JSON.parse(body.view.private_metadata));
      const member = await readMember(people, space, body.user.id, body.user.name);
      const command = commandNamed(state.command, member);
      const values: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(enteredValues(body.view.state)))
        values[name] = await readEntered(space, value);
      const channel = isPersonId(state.channel)
        ? await openDirectChannel(api, space, member.id)
        : channelOf(space.id, state.channel);
      const where = {
        channel,
        userId: member.id,
        threadTs: state.thread,
        responseUrl: addresses.get(state.use),
        isPrivate: isPrivateUse(command, member.role),
      };
      return { member, command, values, where, isOfHome: isPersonId(state.channel) };
    },
    /** The choices for what somebody types into a menu of a modal. */
    suggested: async (body: BlockSuggestion): Promise<readonly Option[]> => {
      const space = teamOf(body);
      const state = modalState.safeParse(JSON.parse(body.view?.private_metadata ?? '{}'));
      if (!state.success) return [];
      const found = await core.complete({
        command: state.data.command,
        option: body.block_id,
        typed: body.value ?? '',
        member: await readMember(people, space, body.user.id, body.user.name),
        space,
      });
      return optionsOf(found);
    },
  };
};
