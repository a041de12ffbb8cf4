import { randomUUID } from 'node:crypto';
import type { App } from '@slack/bolt';
import type { z } from 'zod';
import { channelOf, PLATFORM } from '../ids.ts';
import { MODAL_ACTION, type Home } from '../home/home.ts';
import type { MessageReader } from '../inbound/message-reader.ts';
import { NAMING, ROOT_COMMAND } from '../manifest.ts';
import { rawMessage } from '../inbound/raw-message.ts';
import type { People } from '../people.ts';
import type { Threads } from '../threads.ts';
import { createAnswer, type AnswerDeps, type AnswerPlace } from './answer.ts';
import { createForms, FORM_MODAL, type PressedAt } from './forms.ts';
import { createTyped, readMember } from './invocations.ts';
import { COMMAND_MODAL } from './modal.ts';
import { createModals, type ModalsDeps } from './modals.ts';
import { actions, shortcut, slash, submission, suggestion, teamOf } from './payloads.ts';
import type { Core } from '../../../src/adapter.ts';
import {
  findCommand,
  freeTextOption,
  readValues,
  unknownCommand,
  type FoundCommand,
} from '../../../src/command/command-line.ts';
import { AppError, toAppError, type Sentence } from '../../../src/errors.ts';
import { say } from '../../../src/i18n/texts.ts';
import type { CommandInfo } from '../../../src/model/command-info.ts';
import { typedCode } from '../../../src/text/quoted-words.ts';
import type { Member } from '../../../src/model/member.ts';

export interface InteractionDeps extends AnswerDeps, ModalsDeps {
  readonly apiUrl: string | undefined;
  readonly core: Core;
  readonly reader: MessageReader;
  readonly people: Pick<People, 'of'>;
  readonly home: Pick<Home, 'press'>;
  readonly threads: Pick<Threads, 'rootOf' | 'note'>;
}

/** True when what a command is about is missing: what it requires, or its text where it takes one. */
const needsModal = (command: CommandInfo, values: Readonly<Record<string, unknown>>): boolean => {
  const free = freeTextOption(command);
  const about = free && !free.autocompletes ? [free] : [];
  return [...command.options.filter(({ required }) => required), ...about].some(
    ({ name }) => !(name in values),
  );
};

/** Says why a line is no command; here people find them by `help`, not by typing a slash. */
const faultOf = (line: string, commands: readonly CommandInfo[]): Sentence => {
  const fault = unknownCommand(line, commands);
  const typed = typedCode(`${ROOT_COMMAND} ${line.slice(1).split(/\s/, 1).join('')}`);
  return fault.key === 'line.unknown-command'
    ? { key: 'errors.unknown-command', params: { command: typed } }
    : fault;
};

/** Creates what runs commands, shortcuts and controls. */
export const createInteractions = (deps: InteractionDeps, stopped: AbortSignal) => {
  const { core, reader, people, home, threads } = deps;
  const { log } = core;
  const modals = createModals(deps);
  const forms = createForms(deps);

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
  const explain = async (
    fault: Sentence,
    { locale }: Pick<Member, 'locale'>,
    where: AnswerPlace,
  ): Promise<void> => {
    const text = say(core.texts.rich(locale, NAMING), fault);
    await createAnswer(deps, { ...where, isPrivate: true }).show({ text, tone: 'error' });
  };

  /** Reads who uses something; undefined where Slack does not say who they are, which they are told. */
  const readUser = async (
    where: Omit<AnswerPlace, 'isPrivate'>,
    name?: string,
  ): Promise<Member | undefined> => {
    const { channel, userId, responseUrl } = where;
    try {
      return await readMember(people, channel.space, userId, name);
    } catch (thrown) {
      const { code, message, sentence } = toAppError(thrown);
      log.warn({ code, reason: message }, 'Slack: somebody who used the app could not be read');
      if (responseUrl !== undefined)
        await explain(sentence, { locale: 'en-US' }, { ...where, isPrivate: true });
      return undefined;
    }
  };

  const typedCommand = async (body: z.infer<typeof slash>): Promise<void> => {
    const channel = channelOf(body.team_id, body.channel_id);
    const where = { channel, userId: body.user_id, responseUrl: body.response_url };
    const member = await readUser(where, body.user_name);
    if (!member) return undefined;
    const commands = commandsFor(member.locale);
    const typed = (body.text ?? '').trim();
    const line =
      body.command === ROOT_COMMAND ? `/${typed || 'help'}` : `${body.command} ${typed}`.trimEnd();
    const found: FoundCommand | undefined = findCommand(line, commands);
    const hidden = { ...where, isPrivate: true };
    if (!found) return explain(faultOf(line, commands), member, hidden);
    const read = readValues(line, found);
    if (!read.ok) return explain(read.fault, member, hidden);
    const { command } = found;
    if (needsModal(command, read.value))
      return modals.open(channel.space, member, command, read.value, body.trigger_id, where);
    return run(member, command, read.value, { ...where, isPrivate: command.private });
  };

  const usedShortcut = async (body: z.infer<typeof shortcut>): Promise<void> => {
    const space = teamOf(body);
    const { id: userId, name: userName } = body.user;
    const channel = channelOf(space.id, body.channel?.id ?? userId);
    const used = { channel, userId, responseUrl: body.response_url };
    const member = await readUser(used, userName);
    if (!member) return undefined;
    const command = commandsFor(member.locale).find(({ name }) => name === body.callback_id);
    if (!command) throw new AppError('not-found', 'there is no such shortcut');
    const raw = rawMessage.safeParse(body.message);
    if (!body.channel || !raw.success)
      return modals.open(space, member, command, {}, body.trigger_id, {
        channel: channelOf(space.id, userId),
        threadTs: undefined,
        responseUrl: undefined,
      });
    const on = await reader.read(raw.data, space, channel.id);
    threads.note(channel, raw.data.ts, raw.data.thread_ts ?? raw.data.ts);
    const threadTs = raw.data.thread_ts ?? raw.data.ts;
    const where: AnswerPlace = { ...used, threadTs, isPrivate: true };
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

  /** Does what a control says, and shows what became of it where it stands. */
  const act = async (
    member: Member,
    press: string,
    values: readonly string[],
    at: PressedAt,
  ): Promise<void> => {
    if (at.kind === 'home')
      return home.press(at.space, member, { press, values, blockId: at.blockId });
    await core.press({
      id: randomUUID(),
      press,
      values,
      member,
      channel: at.where.channel,
      signal: stopped,
      answer: createAnswer(deps, at.where),
    });
  };

  const pressed = async (body: z.infer<typeof actions>): Promise<void> => {
    const space = teamOf(body);
    const [used] = body.actions;
    const { container, channel: at } = body;
    if (!used) return;
    const { id: userId, name: userName } = body.user;
    const place = {
      channel: channelOf(space.id, at?.id ?? userId),
      userId,
      threadTs: container.thread_ts,
      responseUrl: body.response_url,
    };
    const member = await readUser(place, userName);
    if (!member) return;
    const values = [
      ...(used.selected_option ? [used.selected_option.value] : []),
      ...(used.selected_options ?? []).map(({ value }) => value),
      ...(used.selected_conversations ?? []),
    ];
    if (used.action_id.startsWith(MODAL_ACTION))
      return modals.openFromHome(
        space,
        member,
        used.action_id.slice(MODAL_ACTION.length),
        body.trigger_id,
      );
    const pressedAt = (): PressedAt | undefined => {
      if (container.type === 'view') return { kind: 'home', space, blockId: used.block_id ?? '' };
      if (!at || container.message_ts === undefined) return undefined;
      const isEphemeral = container.is_ephemeral === true;
      const isBeside = isPrivatePress(used.action_id, member) && !isEphemeral;
      const where: AnswerPlace = {
        ...place,
        isPrivate: isBeside,
        ...(isBeside ? {} : { onMessage: { ts: container.message_ts, isEphemeral } }),
      };
      return { kind: 'message', where };
    };
    const found = pressedAt();
    if (!found) return;
    const press = used.action_id;
    const form = forms.of(press, member);
    if (form)
      return forms.open(space, member, { form, press, at: found, triggerId: body.trigger_id });
    await act(member, press, values, found);
  };

  const formSubmitted = async (body: z.infer<typeof submission>): Promise<void> => {
    const { place, press, values, at } = forms.submitted(body);
    const member = await readUser(place, body.user.name);
    if (member) await act(member, press, values, at);
  };

  const submitted = async (body: z.infer<typeof submission>): Promise<void> => {
    const { member, command, values, where } = await modals.submitted(body);
    await run(member, command, values, where);
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
        await ack({ options: [...(await modals.suggested(suggestion.parse(body)))] });
      });
      app.view(FORM_MODAL, async ({ ack, body }) => {
        await ack();
        afterwards(formSubmitted(submission.parse(body)));
      });
      app.view(COMMAND_MODAL, async ({ ack, body }) => {
        await ack();
        afterwards(submitted(submission.parse(body)));
      });
    },
  };
};
