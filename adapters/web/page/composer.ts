import type { Choice, CommandInfo } from '../../../src/model/command-info.ts';
import type { ChannelId } from '../protocol.ts';
import { api, refusalOf } from './api.ts';
import {
  commandForFile,
  matchesTyped,
  accept,
  commandSuggestions,
  type Completing,
  completingAt,
  knownChoices,
  optionSuggestions,
  type Suggestion,
  valueSuggestions,
} from './completion.ts';
import { boot, t } from './boot.ts';
import { step, createLookup } from './list-box.ts';
import {
  findCommand,
  formatLine,
  type FoundCommand,
  type LineFault,
  parseCommandLine,
  type ParsedCommand,
  readValues,
  type TypedValues,
} from '../../../src/command/command-line.ts';

export interface HeldFile {
  readonly file: File;
  /** A `blob:` address, to listen to it before it is sent. */
  readonly url: string;
}

interface Draft {
  readonly line: string;
  readonly files: ReadonlyMap<string, HeldFile>;
  /** Files that follow once the ones before are sent. */
  readonly next: readonly File[];
  /** The line that stood in the field before a file came: it is put back after that. */
  readonly aside: string;
}

interface Popup {
  readonly completing: Completing;
  readonly items: readonly Suggestion[];
  /** -1: Enter sends the line instead of taking a suggestion. */
  readonly active: number;
}

export interface ComposerState {
  readonly drafts: Drafts;
  readonly popup: Popup | undefined;
  readonly fault: string | undefined;
  readonly sending: boolean;
}

/** True when the marked suggestion is a command that is already typed whole. */
const isTyped = ({ completing, items, active }: Popup): boolean =>
  completing.kind === 'command' && items[active]?.value === completing.typed.trim();

/** The meaning of a key in the field; undefined for one that types. */
type KeyAction = 'submit' | 'close' | 'recall' | { readonly take: number } | Pick<Popup, 'active'>;

const ARROWS: Readonly<Record<string, 1 | -1 | undefined>> = { ArrowDown: 1, ArrowUp: -1 };

const keyAction = (
  { key, shiftKey, isComposing }: KeyboardEvent,
  popup: Popup | undefined,
): KeyAction | undefined => {
  if (isComposing) return undefined;
  const arrow = ARROWS[key];
  if (popup && arrow) return { active: step(popup.active, popup.items.length, arrow) };
  if (popup && key === 'Escape') return 'close';
  if (popup && key === 'Tab' && !shiftKey) return { take: Math.max(0, popup.active) };
  if (key === 'Enter' && !shiftKey)
    return popup && popup.active >= 0 && !isTyped(popup) ? { take: popup.active } : 'submit';
  return arrow === -1 ? 'recall' : undefined;
};

const EMPTY: Draft = { line: '', files: new Map(), next: [], aside: '' };

type Drafts = Readonly<Record<ChannelId, Draft>>;

const STORED = 'dragoman drafts';

/** The lines that were typed in this tab before it was loaded anew. */
const storedDrafts = (): Drafts => {
  const stored = JSON.parse(sessionStorage.getItem(STORED) ?? '{}') as Partial<
    Record<string, string>
  >;
  const of = (at: ChannelId): Draft => ({ ...EMPTY, line: stored[at] ?? '' });
  return { playground: of('playground'), lounge: of('lounge') };
};

const storeDrafts = (drafts: Drafts): void => {
  const lines = Object.entries(drafts).map(([at, { line, aside }]) => [at, aside || line]);
  sessionStorage.setItem(STORED, JSON.stringify(Object.fromEntries(lines)));
};

const release = (files: Draft['files']): void => {
  for (const { url } of files.values()) URL.revokeObjectURL(url);
};

export interface ComposerDeps {
  readonly channel: () => ChannelId;
  readonly onChange: () => void;
  /** Puts the caret into the field, after it shows the new line. */
  readonly focus: (caret: number) => void;
}

const sendCommand = async (
  at: ChannelId,
  { command, options }: ParsedCommand,
  files: Draft['files'],
): Promise<void> => {
  const uploads: Record<string, string> = {};
  for (const { name } of command.options) {
    const held = files.get(name);
    if (held) uploads[name] = await api.upload(held.file, AbortSignal.timeout(10 * 60_000));
  }
  await api.use({ channel: at, command: command.name, options, files: uploads });
};

/** Creates the state of the message field: its text, its suggestions, and sending. */
export const createComposer = ({ channel, onChange, focus }: ComposerDeps) => {
  let state: ComposerState = {
    drafts: storedDrafts(),
    popup: undefined,
    fault: undefined,
    sending: false,
  };
  const lookup = createLookup<readonly Choice[]>();
  const history: string[] = [];

  const set = (change: Partial<ComposerState>): void => {
    state = { ...state, ...change };
    onChange();
  };
  const draft = (): Draft => state.drafts[channel()];
  const setDraft = (change: Partial<Draft>, at: ChannelId = channel()): void => {
    set({ drafts: { ...state.drafts, [at]: { ...state.drafts[at], ...change } } });
    storeDrafts(state.drafts);
  };
  const fail = (fault: string): void => set({ fault });
  const found = (): FoundCommand | undefined => findCommand(draft().line, boot.commands);

  const values = (): TypedValues | undefined => {
    const now = found();
    const read = now && readValues(draft().line, now);
    return read?.ok ? read.value : undefined;
  };

  const closePopup = (): void => {
    lookup.cancel();
    if (state.popup) set({ popup: undefined });
  };

  const showPopup = (completing: Completing, items: readonly Suggestion[]): void => {
    const { kind, typed } = completing;
    const exact = items.some(({ value }) => value.toLowerCase() === typed.toLowerCase());
    const active = kind === 'command' ? 0 : typed === '' || exact ? -1 : 0;
    set({ popup: items.length === 0 ? undefined : { completing, items, active } });
  };

  const offer = (caret: number): void => {
    lookup.cancel();
    const completing = completingAt(draft().line, caret, boot.commands);
    if (!completing) return closePopup();
    if (completing.kind === 'command')
      return showPopup(completing, commandSuggestions(completing.typed, boot.commands));
    if (completing.kind === 'option')
      return showPopup(completing, optionSuggestions(completing.typed, completing.remaining));
    const { command, option, typed } = completing;
    const known = knownChoices(option, typed);
    if (known) return showPopup(completing, valueSuggestions(known));
    // Until the answer is there, nothing is offered that is certainly not meant.
    const before = state.popup?.completing.kind === 'value' ? state.popup.items : [];
    const still = before.filter((item) => matchesTyped(item, typed));
    set({ popup: still.length > 0 ? { completing, items: still, active: -1 } : undefined });
    lookup.ask(
      (signal) => api.complete({ command: command.name, option: option.name, typed }, signal),
      (choices) => showPopup(completing, valueSuggestions(choices)),
    );
  };

  const edit = (line: string, caret: number): void => {
    set({ fault: undefined });
    setDraft({ line });
    offer(caret);
  };

  /** Puts a line into the field as if it had been typed. */
  const write = (line: string): void => {
    edit(line, line.length);
    focus(line.length);
  };

  /** The same, without a list of what could follow. */
  const put = (line: string): void => {
    write(line);
    closePopup();
  };

  /** False, with a reason, where the line would be too long with what is added. */
  const takes = (added: string): boolean => {
    const isFitting = new Blob([draft().line, added]).size <= boot.maxTextBytes;
    if (!isFitting) fail(t('web.errors.text-too-large'));
    return isFitting;
  };

  const take = (index: number): void => {
    const { popup } = state;
    const suggestion = popup?.items[index];
    if (!popup || !suggestion) return;
    const next = accept(draft().line, popup.completing, suggestion);
    edit(next.line, next.caret);
    focus(next.caret);
  };

  const hold = (option: string, file: File): void => {
    const held = { file, url: URL.createObjectURL(file) };
    setDraft({ files: new Map(draft().files).set(option, held) });
  };

  /**
   * Gives a file to the command in the field or, when that takes none, to one that does. Where there is
   * a file already, it follows that. Returns why it is refused; undefined where it is taken.
   */
  const give = (file: File, optionName?: string): string | undefined => {
    if (file.size > boot.maxUploadBytes)
      return t('web.errors.file-too-large', { limit: Math.round(boot.maxUploadBytes / 1_048_576) });
    const fileOption = (command?: CommandInfo): string | undefined =>
      command?.options.find(
        ({ kind, name }) => kind === 'attachment' && (!optionName || name === optionName),
      )?.name;
    const own = fileOption(found()?.command);
    const isFollowing = own !== undefined && draft().files.has(own);
    if (own !== undefined && !isFollowing) {
      hold(own, file);
      return undefined;
    }
    const other = commandForFile(file, boot.commands);
    const option = fileOption(other);
    if (!other || option === undefined) return t('web.errors.no-command-for-file');
    if (isFollowing) {
      setDraft({ next: [...draft().next, file] });
      return undefined;
    }
    const { line, aside } = draft();
    put(`/${other.name} `);
    setDraft({ aside: line.trim() === '' ? aside : line });
    hold(option, file);
    return undefined;
  };

  /** Gives files to commands, one after the other. */
  const attach = (files: Iterable<File>, optionName?: string): void => {
    set({ fault: undefined, popup: undefined });
    const [fault] = Array.from(files, (file) => give(file, optionName)).filter(Boolean);
    if (fault !== undefined) fail(fault);
  };

  /** Goes on with the next file, or with the line that was put aside, once no file is held. */
  const goOn = (): void => {
    const {
      files,
      next: [file, ...next],
      aside,
    } = draft();
    if (files.size > 0 || (!file && aside === '')) return;
    setDraft({ ...EMPTY, next, aside: file ? aside : '', line: file ? '' : aside });
    if (file) give(file);
  };

  const detach = (option: string): void => {
    const files = new Map(draft().files);
    const held = files.get(option);
    if (held) URL.revokeObjectURL(held.url);
    files.delete(option);
    setDraft({ files });
    goOn();
  };

  /** Resolves with what is wrong with the line, where it cannot be sent. */
  const trySend = async (at: ChannelId, line: string): Promise<LineFault | undefined> => {
    const { files } = draft();
    const parsed = line.startsWith('/')
      ? parseCommandLine(line, boot.commands, new Set(files.keys()), boot.elsewhere)
      : undefined;
    if (parsed && !parsed.ok) return parsed.fault;
    set({ sending: true });
    await (parsed ? sendCommand(at, parsed.value, files) : api.line(at, line));
    return undefined;
  };

  /** Sends what stands in the field; it stays there, with a reason, when it cannot be sent. */
  const submit = async (): Promise<void> => {
    const at = channel();
    const { line, files } = draft();
    if (state.sending || (line.trim() === '' && files.size === 0)) return;
    closePopup();
    set({ fault: undefined });
    try {
      const fault = await trySend(at, line.trim());
      if (fault) return fail(t(fault.key, fault.params));
      history.unshift(line);
      history.length = Math.min(history.length, 50);
      if (state.drafts[at].line === line) {
        release(files);
        const { next, aside } = state.drafts[at];
        setDraft({ ...EMPTY, next, aside }, at);
        if (at === channel()) goOn();
      }
    } catch (error) {
      fail(refusalOf(error));
    } finally {
      set({ sending: false });
    }
  };

  const setOption = (name: string, value: string): void => {
    const now = found();
    const before = values();
    if (!now || !before) return;
    set({ fault: undefined, popup: undefined });
    setDraft({ line: `${formatLine(now.command, { ...before, [name]: value })} ` });
  };

  /** Handles a key of the field; true when the field must not have it. */
  const key = (event: KeyboardEvent): boolean => {
    const { popup } = state;
    const action = keyAction(event, popup);
    const [last] = history;
    if (action === 'submit') void submit();
    else if (action === 'close') closePopup();
    else if (action === 'recall' && draft().line === '' && last !== undefined) put(last);
    else if (typeof action === 'object' && 'take' in action) take(action.take);
    else if (typeof action === 'object' && popup) set({ popup: { ...popup, ...action } });
    else return false;
    return true;
  };

  return {
    get: () => state,
    draft,
    found,
    values,
    edit,
    offer,
    write,
    put,
    takes,
    take,
    key,
    submit,
    attach,
    detach,
    goOn,
    setOption,
    closePopup,
    fail,
    /** Takes back that the server could not be reached. */
    reached: (): void => {
      if (state.fault === t('web.errors.unreachable')) set({ fault: undefined });
    },
    /** Forgets the lines that were sent. */
    forget: (): void => {
      history.length = 0;
      sessionStorage.removeItem(STORED);
    },
    /** Turns a plain line into a command on it. */
    wrap: (command: CommandInfo, option: string) =>
      write(`${formatLine(command, { [option]: draft().line.trim() })} `),
  };
};
