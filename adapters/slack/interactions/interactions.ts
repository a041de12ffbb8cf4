import { randomUUID } from 'node:crypto';
import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { Api } from '../api.ts';
import { isPersonId, openDirectChannel } from '../direct-channel.ts';
import { channelOf, PLATFORM, spaceOf } from '../ids.ts';
import { MODAL_ACTION, type Home } from '../home/home.ts';
import type { MessageReader } from '../inbound/message-reader.ts';
import { ROOT_COMMAND } from '../manifest.ts';
import { rawMessage } from '../inbound/raw-message.ts';
import { optionsOf } from '../outbound/controls.ts';
import type { People } from '../people.ts';
import type { Threads } from '../threads.ts';
import { createAnswer, type AnswerDeps, type AnswerPlace } from './answer.ts';
import { createTyped, readMember } from './invocations.ts';
import { COMMAND_MODAL, commandModal, enteredValues, viewState } from './modal.ts';
import type { Core } from '../../../src/adapter.ts';
import { createLru } from '../../../src/async/lru.ts';
import {
  findCommand,
  freeTextOption,
  readValues,
  unknownCommand,
  type FoundCommand,
  type LineFault,
} from '../../../src/command/command-line.ts';
import { AppError } from '../../../src/errors.ts';
import type { CommandInfo } from '../../../src/model/command-info.ts';
import type { Attachment } from '../../../src/model/file.ts';
import type { Member } from '../../../src/model/member.ts';
import type { Space } from '../../../src/model/place.ts';

export interface InteractionDeps extends AnswerDeps {
  readonly api: Api;
  readonly apiUrl: string | undefined;
  readonly core: Core;
  readonly reader: MessageReader;
  readonly people: Pick<People, 'of'>;
  readonly home: Pick<Home, 'press'>;
  readonly threads: Pick<Threads, 'rootOf' | 'note'>;
  /** Opens a file that was put into a modal; undefined when it is gone. */
  readonly openUpload: (space: Space, fileId: string) => Promise<Attachment | undefined>;
}

const slash = z.looseObject({
  team_id: z.string(),
  channel_id: z.string(),
  user_id: z.string(),
  user_name: z.string().optional(),
  command: z.string(),
  text: z.string().optional(),
  trigger_id: z.string(),
  response_url: z.string(),
});

const team = z.looseObject({ id: z.string() }).nullish();
const user = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  team_id: z.string().optional(),
});
const place = z.looseObject({ id: z.string() });

const shortcut = z.looseObject({
  callback_id: z.string(),
  team,
  user,
  trigger_id: z.string(),
  channel: place.optional(),
  message: z.unknown().optional(),
  response_url: z.string().optional(),
});

const chosen = z.looseObject({ value: z.string() });
const action = z.looseObject({
  action_id: z.string(),
  type: z.string(),
  block_id: z.string().optional(),
  selected_option: chosen.nullish(),
  selected_options: z.array(chosen).nullish(),
  selected_conversations: z.array(z.string()).nullish(),
});
const actions = z.looseObject({
  team,
  user,
  channel: place.optional(),
  container: z.looseObject({
    type: z.string(),
    message_ts: z.string().optional(),
    thread_ts: z.string().optional(),
    is_ephemeral: z.boolean().optional(),
  }),
  response_url: z.string().optional(),
  trigger_id: z.string(),
  actions: z.array(action),
});

const submission = z.looseObject({
  team,
  user,
  view: z.looseObject({ private_metadata: z.string(), state: viewState }),
});

const suggestion = z.looseObject({
  team,
  user,
  block_id: z.string(),
  value: z.string().optional(),
  view: z.looseObject({ private_metadata: z.string() }).optional(),
});

/** The use that opened a modal, as the modal's metadata keep it. */
const modalState = z.object({
  command: z.string(),
  channel: z.string(),
  thread: z.string().optional(),
  /** Key of the address for answers, which is kept in memory. */
  use: z.string(),
});

/** Uses whose address is kept while their modal is open. */
const KEPT_USES = 2_000;

const teamOf = (given: {
  team?: { id: string } | null | undefined;
  user: { team_id?: string | undefined };
}) => spaceOf(given.team?.id ?? given.user.team_id ?? '');

/** True when what a command is about is missing: what it requires, or its text where it takes one. */
const needsModal = (command: CommandInfo, values: Readonly<Record<string, unknown>>): boolean => {
  const free = freeTextOption(command);
  const about = free && !free.autocompletes ? [free] : [];
  return [...command.options.filter(({ required }) => required), ...about].some(
    ({ name }) => !(name in values),
  );
};

/** Creates what runs commands, shortcuts and controls. */
export const createInteractions = (deps: InteractionDeps, stopped: AbortSignal) => {
  const { api, core, reader, people, home, threads, openUpload } = deps;
  const { log } = core;
  const addresses = createLru<string, string>(KEPT_USES);

  const commandsFor = (locale: string): readonly CommandInfo[] => core.commands(locale, PLATFORM);

  const run = async (
    member: Member,
    command: CommandInfo,
    values: Readonly<Record<string, unknown>>,
    where: AnswerPlace,
  ): Promise<void> => {
    const { options, readText } = createTyped(values);
    await core.dispatch({
      id: randomUUID(),
      command: command.name,
      options,
      member,
      channel: where.channel,
      signal: stopped,
      answer: createAnswer(deps, where),
      readText,
    });
  };

  /** Shows why a line is none of the commands. */
  const explain = async (fault: LineFault, member: Member, where: AnswerPlace): Promise<void> => {
    const text = core.texts.rich(member.locale)(fault.key, fault.params);
    await createAnswer(deps, { ...where, isPrivate: true }).show({ text, tone: 'error' });
  };

  const openModal = async (
    space: Space,
    member: Member,
    command: CommandInfo,
    given: Readonly<Record<string, unknown>>,
    triggerId: string,
    where: Pick<AnswerPlace, 'channel' | 'threadTs' | 'responseUrl'>,
  ): Promise<void> => {
    const use = randomUUID();
    if (where.responseUrl !== undefined) addresses.set(use, where.responseUrl);
    const label = core.texts.in(member.locale);
    const metadata = JSON.stringify({
      command: command.name,
      channel: where.channel.id,
      ...(where.threadTs === undefined ? {} : { thread: where.threadTs }),
      use,
    });
    const view = commandModal(command, given, metadata, {
      submit: label('slack.send'),
      cancel: label('slack.cancel'),
      yes: label('slack.yes'),
      no: label('slack.no'),
    });
    await api.call(space, 'views.open', { trigger_id: triggerId, view }, { once: true });
  };

  const typedCommand = async (body: z.infer<typeof slash>): Promise<void> => {
    const space = spaceOf(body.team_id);
    const channel = channelOf(body.team_id, body.channel_id);
    const member = await readMember(people, space, body.user_id, body.user_name);
    const commands = commandsFor(member.locale);
    const typed = (body.text ?? '').trim();
    const line =
      body.command === ROOT_COMMAND ? `/${typed || 'help'}` : `${body.command} ${typed}`.trimEnd();
    const where = { channel, userId: member.id, responseUrl: body.response_url };
    const found: FoundCommand | undefined = findCommand(line, commands);
    const hidden = { ...where, isPrivate: true };
    if (!found) return explain(unknownCommand(line, commands), member, hidden);
    const read = readValues(line, found);
    if (!read.ok) return explain(read.fault, member, hidden);
    const { command } = found;
    if (needsModal(command, read.value))
      return openModal(space, member, command, read.value, body.trigger_id, where);
    return run(member, command, read.value, { ...where, isPrivate: command.private });
  };

  const usedShortcut = async (body: z.infer<typeof shortcut>): Promise<void> => {
    const space = teamOf(body);
    const member = await readMember(people, space, body.user.id, body.user.name);
    const command = commandsFor(member.locale).find(({ name }) => name === body.callback_id);
    if (!command) throw new AppError('not-found', 'there is no such shortcut');
    const raw = rawMessage.safeParse(body.message);
    if (!body.channel || !raw.success) {
      const itself = channelOf(space.id, member.id);
      return openModal(space, member, command, {}, body.trigger_id, {
        channel: itself,
        threadTs: undefined,
        responseUrl: undefined,
      });
    }
    const channel = channelOf(space.id, body.channel.id);
    const on = await reader.read(raw.data, space, channel.id);
    threads.note(channel, raw.data.ts, raw.data.thread_ts ?? raw.data.ts);
    const where: AnswerPlace = {
      channel,
      userId: member.id,
      threadTs: raw.data.thread_ts ?? raw.data.ts,
      responseUrl: body.response_url,
      isPrivate: true,
    };
    await core.dispatch({
      id: randomUUID(),
      command: command.name,
      options: {},
      on,
      member,
      channel,
      signal: stopped,
      answer: createAnswer(deps, where),
    });
  };

  const isPrivatePress = (press: string, { locale }: Member): boolean => {
    const [name = ''] = press.split(':', 1);
    return commandsFor(locale).some(({ privatePresses = [] }) => privatePresses.includes(name));
  };

  /** Opens the modal of a command that is used from App Home: its answer comes as a direct message. */
  const openFromHome = async (
    space: Space,
    member: Member,
    name: string,
    triggerId: string,
  ): Promise<void> => {
    const command = commandsFor(member.locale).find((each) => each.name === name);
    if (!command) throw new AppError('not-found', 'there is no such command');
    const channel = channelOf(space.id, member.id);
    // No channel is meant by itself there.
    const options = command.options.map((option) =>
      option.kind === 'channel' ? { ...option, required: true } : option,
    );
    const where = { channel, responseUrl: undefined };
    await openModal(space, member, { ...command, options }, {}, triggerId, where);
  };

  const pressed = async (body: z.infer<typeof actions>): Promise<void> => {
    const space = teamOf(body);
    const [used] = body.actions;
    const { container, channel: at } = body;
    if (!used) return;
    const member = await readMember(people, space, body.user.id, body.user.name);
    const values = [
      ...(used.selected_option ? [used.selected_option.value] : []),
      ...(used.selected_options ?? []).map(({ value }) => value),
      ...(used.selected_conversations ?? []),
    ];
    if (used.action_id.startsWith(MODAL_ACTION))
      return openFromHome(
        space,
        member,
        used.action_id.slice(MODAL_ACTION.length),
        body.trigger_id,
      );
    if (container.type === 'view')
      return home.press(space, member, {
        press: used.action_id,
        values,
        blockId: used.block_id ?? '',
      });
    if (!at || container.message_ts === undefined) return;
    const channel = channelOf(space.id, at.id);
    const isEphemeral = container.is_ephemeral === true;
    const isBeside = isPrivatePress(used.action_id, member) && !isEphemeral;
    const where: AnswerPlace = {
      channel,
      userId: member.id,
      threadTs: container.thread_ts,
      responseUrl: body.response_url,
      isPrivate: isBeside,
      ...(isBeside ? {} : { onMessage: { ts: container.message_ts, isEphemeral } }),
    };
    await core.press({
      id: randomUUID(),
      press: used.action_id,
      values,
      member,
      channel,
      signal: stopped,
      answer: createAnswer(deps, where),
    });
  };

  const submitted = async (body: z.infer<typeof submission>): Promise<void> => {
    const space = teamOf(body);
    const state = modalState.parse(JSON.parse(body.view.private_metadata));
    const member = await readMember(people, space, body.user.id, body.user.name);
    const command = commandsFor(member.locale).find(({ name }) => name === state.command);
    if (!command) throw new AppError('not-found', 'there is no such command');
    const values: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(enteredValues(body.view.state)))
      values[name] = typeof value === 'string' ? value : await openUpload(space, value.fileId);
    const channel = isPersonId(state.channel)
      ? await openDirectChannel(api, space, member.id)
      : channelOf(space.id, state.channel);
    await run(member, command, values, {
      channel,
      userId: member.id,
      threadTs: state.thread,
      responseUrl: addresses.get(state.use),
      isPrivate: command.private,
    });
  };

  const suggested = async (body: z.infer<typeof suggestion>) => {
    const space = teamOf(body);
    const state = modalState.safeParse(JSON.parse(body.view?.private_metadata ?? '{}'));
    if (!state.success) return [];
    const member = await readMember(people, space, body.user.id, body.user.name);
    const found = await core.complete({
      command: state.data.command,
      option: body.block_id,
      typed: body.value ?? '',
      member,
      space,
    });
    return optionsOf(found);
  };

  /** Runs what was acknowledged; a fault of this program is logged, as nobody waits for it. */
  const afterwards = (work: Promise<void>): void => {
    work.catch((thrown: unknown) => {
      if (!stopped.aborted) log.error({ err: thrown }, 'Slack: an interaction failed');
    });
  };

  return {
    /** Takes everything that people do with the app. */
    listen: (app: App): void => {
      app.command(/.*/, async ({ ack, body }) => {
        await ack();
        afterwards(typedCommand(slash.parse(body)));
      });
      app.shortcut(/.*/, async ({ ack, body }) => {
        await ack();
        afterwards(usedShortcut(shortcut.parse(body)));
      });
      app.action(/.*/, async ({ ack, body }) => {
        await ack();
        afterwards(pressed(actions.parse(body)));
      });
      app.options(/.*/, async ({ ack, body }) => {
        await ack({ options: [...(await suggested(suggestion.parse(body)))] });
      });
      app.view(COMMAND_MODAL, async ({ ack, body }) => {
        await ack();
        afterwards(submitted(submission.parse(body)));
      });
    },
  };
};
