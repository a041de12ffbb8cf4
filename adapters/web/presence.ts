import { randomUUID } from 'node:crypto';
import { createRunning } from '../../src/async/running.ts';
import { userError } from '../../src/errors.ts';
import type { Core } from '../../src/adapter.ts';
import { parseMarkdown } from '../../src/rich-text/markdown/parse.ts';
import { createChannelLog, type LogEntry } from './channel-log.ts';
import { createDictations } from './dictations.ts';
import { createEventStreams, type EventStreams } from './event-streams.ts';
import { createInvocations } from './invocations.ts';
import { WEB_LIMITS, TIMES } from './limits.ts';
import { createLounge } from './lounge.ts';
import { toHtml } from './html.ts';
import { createProfiles, PLATFORM, type Profile } from './profiles.ts';
import type { PersonalData } from '../../src/ports/platform.ts';
import { createPlatform, createRender } from './platform.ts';
import { createTempStore, createUploadStore } from './temp-store.ts';
import { clip, createCommandRequests } from './command-requests.ts';
import type { ChannelId, PageFile, ServerEvent, PageMember, PageMessage } from './protocol.ts';

export type WebPresence = ReturnType<typeof createWebPresence>;

const EMPTY = { html: '', files: [], controls: [] } as const satisfies Partial<PageMessage>;

const exported = ({ message, source }: LogEntry) => {
  const { channel, sentAtMs, html, use, files, onlyYou } = message;
  return {
    channel,
    sent: new Date(sentAtMs).toISOString(),
    by: message.author.ours ? 'Dragoman' : 'you',
    ...(use ? { command: use.command, options: use.options } : {}),
    ...(source === '' ? { html } : { text: source }),
    files: files.map(({ name, mediaType, sizeBytes }) => ({ name, mediaType, sizeBytes })),
    onlyYou,
  };
};

const meOf = ({ id, name, language }: Profile): PageMember => ({ id, name, language });

/** The state behind the page's routes: readers, messages, running commands. */
export const createWebPresence = (
  core: Core,
  options: {
    readonly maxUploadBytes: number;
    readonly graceMs?: number | undefined;
    /** The token of the page: without one, nobody but the operator can open it. */
    readonly token?: string | undefined;
  },
) => {
  const { languages } = core.services;
  const members = createProfiles(
    core.texts,
    core.services,
    () => streams.present(),
    options.token === undefined,
  );
  const files = createTempStore({
    files: WEB_LIMITS.answerFiles,
    bytes: WEB_LIMITS.answerFilesBytes,
  });
  const uploads = createUploadStore(options.maxUploadBytes);
  const dictations = createDictations(core);
  const leaving = new Map<string, NodeJS.Timeout>();

  const present = (): Profile[] => streams.present().flatMap((id) => members.get(id) ?? []);

  const onPresence = (memberId: string, isPresent: boolean): void => {
    clearTimeout(leaving.get(memberId));
    leaving.delete(memberId);
    if (!isPresent) {
      const abandon = setTimeout(() => {
        leaving.delete(memberId);
        invocations.abandon(memberId);
        dictations.forget(memberId);
        removeSoon(() => uploads.forget(memberId));
      }, options.graceMs ?? TIMES.graceMs);
      leaving.set(memberId, abandon.unref());
    }
    tellReaders();
  };

  const streams: EventStreams = createEventStreams({
    epoch: randomUUID(),
    reader: members.get,
    onPresence,
  });
  const removals = createRunning();
  /** Removes files; a deletion of somebody's data waits for it. */
  const removeSoon = (work: () => Promise<void>): void => {
    removals.add(work).catch((error: unknown) => {
      core.log.error({ err: error }, 'files could not be removed');
    });
  };
  const channelLog = createChannelLog(streams.publish, Date.now, undefined, (id) =>
    removeSoon(() => files.remove(id)),
  );
  const render = createRender(files, channelLog);
  const invocations = createInvocations(core, channelLog, render);
  const lounge = createLounge({
    core,
    channelLog,
    publish: streams.publish,
    isOperators: options.token === undefined,
    languages: () => present().map(({ language }) => language),
  });
  const beat = setInterval(streams.beat, TIMES.beatMs).unref();

  const readers = (): PageMember[] => present().map(meOf);

  const tellReaders = (): void => {
    const event: ServerEvent = { type: 'readers', readers: readers() };
    streams.publish(() => event);
  };

  const helloTo = (reader: Profile): ServerEvent => ({
    type: 'hello',
    snapshot: {
      me: meOf(reader),
      readers: readers(),
      messages: channelLog.visibleTo(reader.id).map((message) => lounge.as(message, reader)),
    },
  });

  /** Shows somebody the lounge in the language that they read now. */
  const readAnew = (memberId: string): void => {
    streams.publish((reader) => (reader.id === memberId ? helloTo(reader) : undefined));
    tellReaders();
    const language = members.get(memberId)?.language;
    if (language !== undefined) lounge.catchUp(language);
  };

  const uses = createCommandRequests({
    core,
    invocations,
    uploads,
    dictations,
    onDone: async ({ id }) => {
      if (await members.refresh(id)) readAnew(id);
    },
  });

  const tellName = (memberId: string): void => {
    streams.publish((reader) =>
      reader.id === memberId ? { type: 'me', me: meOf(reader) } : undefined,
    );
    tellReaders();
  };

  /** Access to the page's data about people: messages with their files, uploads, names, recordings. */
  const personalData: PersonalData = {
    export: async (memberId) => ({
      page: {
        name: members.get(memberId)?.name ?? null,
        messages: channelLog.of(memberId).map(exported),
        uploads: uploads
          .of(memberId)
          .map(({ name, mediaType, sizeBytes }) => ({ name, mediaType, sizeBytes })),
        recording: (await dictations.of(memberId)) ?? null,
      },
    }),

    forget: async (memberId) => {
      dictations.forget(memberId);
      // One of them is the answer that confirms the deletion.
      const answering = invocations.abandonFor(memberId);
      const gone = channelLog.of(memberId);
      for (const { message } of gone)
        if (answering.has(message.id)) channelLog.change(message.id, EMPTY);
        else channelLog.remove(message.id);
      lounge.forgetGone();
      members.forgetName(memberId);
      // Last, so that a reader who reconnects does not get deleted messages again.
      streams.forgetPast();
      streams.publish((reader) => (reader.id === memberId ? { type: 'forgotten' } : undefined));
      tellName(memberId);
      await uploads.forget(memberId);
      await removals.settled();
    },

    optedOut: (memberId) => {
      dictations.forget(memberId);
      lounge.optedOut(memberId);
      streams.forgetPast();
    },
  };

  return {
    platform: createPlatform({ channelLog, render, personalData }),
    isOperators: options.token === undefined,
    members,
    files,
    /** A file of a message that the holder of `secret` may see; undefined for any other. */
    fileFor: (id: string, secret: string | undefined): PageFile | undefined => {
      const entry = channelLog.withFile(id);
      return entry && channelLog.sees(entry, members.idOf(secret)) ? files.get(id) : undefined;
    },
    uploads,
    dictations,
    stop: invocations.stop,
    ...uses,
    events: (member: Profile, lastId: string): ReadableStream<Uint8Array> => {
      const stream = streams.connect(member, lastId, () => helloTo(member));
      lounge.catchUp(member.language);
      return stream;
    },
    post: async ({ id, name }: Profile, channel: ChannelId, text: string): Promise<void> => {
      const isTranslated =
        channel === 'lounge' && !(await core.services.privacy.optedOut({ platform: PLATFORM, id }));
      if (isTranslated) lounge.admit(id);
      const entry = channelLog.add({
        channel,
        author: { id, name, ours: false },
        html: toHtml(parseMarkdown(text)),
        tone: 'plain',
        files: [],
        working: false,
        source: isTranslated ? text : '',
      });
      if (isTranslated) lounge.translate(entry);
    },
    rename: (member: Profile, name: string): void => {
      members.rename(member.id, name);
      tellName(member.id);
    },
    read: async (member: Profile, typed: string): Promise<void> => {
      const language = languages.find(typed);
      if (language === undefined)
        throw userError('bad-input', 'web.errors.unknown-language', { language: clip(typed) });
      await members.read(member.id, language);
      readAnew(member.id);
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(beat);
      dictations[Symbol.dispose]();
      await invocations[Symbol.asyncDispose]();
      await lounge[Symbol.asyncDispose]();
      streams.close();
      await uploads[Symbol.asyncDispose]();
      await files[Symbol.asyncDispose]();
      for (const timer of leaving.values()) clearTimeout(timer);
    },
  };
};
