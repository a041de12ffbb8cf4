import type { Choice } from '../../../src/model/command-info.ts';
import type {
  ChannelId,
  CompleteReply,
  Pressed,
  StatusReply,
  UploadReply,
  UseRequest,
  ServerEvent,
} from '../protocol.ts';
import { t } from './boot.ts';

/** A refusal, as a sentence for the person at the page. */
class ApiError extends Error {}

/** The sentence for the person when a call has failed. */
export const refusalOf = (error: unknown): string =>
  error instanceof ApiError ? error.message : t('web.errors.unreachable');

const send = async <T>(path: string, init: RequestInit): Promise<T> => {
  const reply = await fetch(path, init);
  if (reply.ok) return (await reply.json()) as T;
  if (reply.status === 401) location.reload();
  const body = (await reply.json().catch(() => ({}))) as { error?: string };
  throw new ApiError(body.error ?? t('web.errors.unreachable'));
};

const post = <T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> =>
  send<T>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });

export const api = {
  line: (channel: ChannelId, text: string) => post<object>('/api/lines', { channel, text }),
  use: (use: UseRequest) => post<{ id: string }>('/api/uses', use),
  press: (pressed: Pressed) => post<object>('/api/presses', pressed),
  stop: (id: string) => post<object>('/api/stop', { id }),
  me: (change: { name?: string; language?: string }) => post<object>('/api/me', change),
  status: () => send<StatusReply>('/api/status', {}),

  complete: async (
    request: { command: string; option: string; typed: string },
    signal: AbortSignal,
  ): Promise<readonly Choice[]> =>
    (await post<CompleteReply>('/api/complete', request, signal)).choices,

  languages: async (typed: string, signal: AbortSignal): Promise<readonly Choice[]> =>
    (await send<CompleteReply>(`/api/languages?typed=${encodeURIComponent(typed)}`, { signal }))
      .choices,

  upload: async (file: File, signal: AbortSignal): Promise<string> => {
    const query = new URLSearchParams({ name: file.name, type: file.type });
    const { id } = await send<UploadReply>(`/api/uploads?${query.toString()}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: file,
      signal,
    });
    return id;
  },
};

export interface ConnectionHandlers {
  readonly onEvent: (event: ServerEvent) => void;
  readonly onLink: (link: 'live' | 'lost') => void;
}

/** The server beats every 15 s: after two missed beats the connection is dead. */
const SILENCE_MS = 40_000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 8_000;

/** Listens to the server's events for as long as the page is open, through every interruption. */
export const openEventStream = ({ onEvent, onLink }: ConnectionHandlers): void => {
  let source: EventSource | undefined;
  let lastId = '';
  let retryMs = FIRST_RETRY_MS;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const again = (): void => {
    source?.close();
    clearTimeout(silence);
    clearTimeout(retry);
    onLink('lost');
    retry = setTimeout(open, retryMs);
    retryMs = Math.min(MAX_RETRY_MS, retryMs * 2);
  };

  const alive = (): void => {
    clearTimeout(silence);
    silence = setTimeout(again, SILENCE_MS);
  };

  const open = (): void => {
    clearTimeout(retry);
    source?.close();
    source = new EventSource(`/events?last=${encodeURIComponent(lastId)}`);
    source.addEventListener('open', () => {
      retryMs = FIRST_RETRY_MS;
      onLink('live');
      alive();
    });
    source.addEventListener('error', again);
    source.addEventListener('message', (message: MessageEvent<string>) => {
      if (message.lastEventId !== '') lastId = message.lastEventId;
      alive();
      onEvent(JSON.parse(message.data) as ServerEvent);
    });
  };

  // A phone that was asleep, or a network that came back, need not wait for the next try.
  addEventListener('online', open);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && source?.readyState === EventSource.CLOSED) open();
  });
  open();
};
