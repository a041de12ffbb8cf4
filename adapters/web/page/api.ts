import type { ModelSize } from '../../../src/model/local-models.ts';
import type { Choice } from '../../../src/model/command-info.ts';
import type {
  ChannelId,
  CompleteReply,
  ExamplesReply,
  ModelsPlanReply,
  ModelsReply,
  Pressed,
  StatusReply,
  UploadReply,
  UseRequest,
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
  line: (channel: ChannelId, text: string) => post<object>('api/lines', { channel, text }),
  use: (use: UseRequest) => post<{ id: string }>('api/uses', use),
  press: (pressed: Pressed) => post<object>('api/presses', pressed),
  stop: (id: string) => post<object>('api/stop', { id }),
  me: (change: { name?: string; language?: string }) => post<object>('api/me', change),
  status: () => send<StatusReply>('api/status', {}),
  examples: () => send<ExamplesReply>('api/examples', {}),

  models: () => send<ModelsReply>('api/models', {}),
  planModels: (languages: readonly string[], size: ModelSize) =>
    post<ModelsPlanReply>('api/models/plan', { languages, size }),
  installModels: (names: readonly string[], size: ModelSize) =>
    post<object>('api/models/install', { names, size }),
  stopModels: () => post<object>('api/models/stop', {}),
  removeModel: (name: string) => post<object>('api/models/remove', { name }),

  complete: async (
    request: { command: string; option: string; typed: string },
    signal: AbortSignal,
  ): Promise<readonly Choice[]> =>
    (await post<CompleteReply>('api/complete', request, signal)).choices,

  languages: async (): Promise<readonly Choice[]> =>
    (await send<CompleteReply>('api/languages', {})).choices,

  upload: async (file: File, signal: AbortSignal): Promise<string> => {
    const query = new URLSearchParams({ name: file.name, type: file.type });
    const { id } = await send<UploadReply>(`api/uploads?${query.toString()}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: file,
      signal,
    });
    return id;
  },
};
