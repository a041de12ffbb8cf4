import { BackendError } from '../errors.ts';

/** True for a server's refusal of something in a request. */
export const refusesRequest = (error: unknown): boolean =>
  error instanceof BackendError && [400, 422].includes(error.status);

/**
 * Creates what asks a server in the first form of a request that it takes; the last one is the plainest, which all
 * requests have. A form that it refuses is not tried again once it has taken another.
 */
export const createTakenForms = <Form>(isRefused = refusesRequest) => {
  const refused = new Set<Form>();
  const askIn = async <T>(forms: readonly Form[], ask: (form: Form) => Promise<T>): Promise<T> => {
    const [form, ...others] = forms.filter((each) => !refused.has(each)) as [Form, ...Form[]];
    try {
      return await ask(form);
    } catch (error) {
      if (others.length === 0 || !isRefused(error)) throw error;
      const answer = await askIn(others, ask);
      refused.add(form);
      return answer;
    }
  };
  return askIn;
};
