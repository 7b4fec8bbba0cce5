import { type ReactNode, useEffect, useRef, useState } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { type Resolver, useForm } from 'react-hook-form';
import { translate } from '@/app/_page/translation';
import { checkAnswers, type Problem, writtenLength } from '@/lib/services/forms/answers/check-answers';
import { type RawAnswers, rawAnswersOf } from '@/lib/services/forms/answers/fields';
import { type FormState, FormView, formElementId, type Notice, stateElementId } from '../_page/form-view';
import { type LengthCountProps, lengthCountId, NoCount } from '../_page/length-count';

/** Screen readers hear the count when typing pauses for this long. */
const pauseMs = 1_000;

/** From this part of its limit on a text is counted. Before, the count would only distract. */
const countedFrom = 0.75;

/** How many characters are left in a text area, counted as the server counts them. It never stops anyone from typing. */
function LengthCount(props: LengthCountProps): ReactNode {
  const { name, maxLength, translation } = props;
  const [length, setLength] = useState<number | null>(null);
  const [spoken, setSpoken] = useState('');

  useEffect(() => {
    const area = document.getElementById(name);
    if (!(area instanceof HTMLTextAreaElement)) return;
    const count = () => setLength(writtenLength(area.value));
    count();
    area.addEventListener('input', count);
    return () => area.removeEventListener('input', count);
  }, [name]);

  const left = maxLength - (length ?? 0);
  const isCounted = length !== null && length >= maxLength * countedFrom;
  const isOver = left < 0;
  const sentence = translate(translation, isOver ? 'overBy' : 'remaining', { n: Math.abs(left) });
  useEffect(() => {
    if (!isCounted) return;
    const timer = setTimeout(() => setSpoken(sentence), pauseMs);
    return () => clearTimeout(timer);
  }, [isCounted, sentence]);

  if (!isCounted) return <NoCount {...props} />;
  return (
    <>
      <p
        className={isOver ? 'hint count over' : 'hint count'}
        id={lengthCountId(name)}
        {...translation.attributes}
      >
        {sentence}
      </p>
      <p className="hidden" aria-live="polite" {...translation.attributes}>
        {spoken}
      </p>
    </>
  );
}

/**
 * Hydrates the form: answers are checked before they are sent, with the server's own rules, and stay in place if they cannot
 * be sent. The page also works without this script.
 */

/** The server's response to a post. */
type Sent =
  | { readonly next: string }
  | { readonly isOver: true }
  | { readonly problems: readonly Problem[]; readonly notice: Notice | null; readonly stamp: string };

function LiveForm({ initial, typed }: { initial: FormState; typed: RawAnswers }) {
  const [state, setState] = useState(initial);
  const [isSending, setIsSending] = useState(false);
  const summary = useRef<HTMLDivElement>(null);
  const isFirst = useRef(true);
  const { content } = initial;

  const resolver: Resolver<RawAnswers> = (values) => {
    const checked = checkAnswers(content, values);
    if (checked.ok) return { values, errors: {} };
    const errors = checked.problems.map(({ field, word }) => [field, { type: word }]);
    return { values: {}, errors: Object.fromEntries(errors) };
  };
  // Answers are checked only when they are sent, so that nothing moves while people type.
  const { register, handleSubmit, getValues } = useForm<RawAnswers>({
    defaultValues: typed,
    resolver,
    shouldFocusError: false,
    reValidateMode: 'onSubmit',
  });

  useEffect(() => {
    document.documentElement.dataset.script = 'ready';
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the summary gets the focus whenever it changes.
  useEffect(() => {
    if (!isFirst.current) summary.current?.focus();
    isFirst.current = false;
  }, [state]);

  const show = (problems: readonly Problem[], notice: Notice | null, stamp = state.stamp) => {
    setIsSending(false);
    setState({ ...state, problems, notice, stamp });
    const title = document.title.replace(`${initial.translation.words.error} `, '');
    document.title = problems.length > 0 ? `${initial.translation.words.error} ${title}` : title;
  };

  const send = async (form: HTMLFormElement) => {
    if (isSending) return;
    setIsSending(true);
    const sent = await post(form).catch(() => null);
    if (!sent) return show([], 'notReached');
    if ('next' in sent) return window.location.assign(sent.next);
    // The server's own page says why and shows the answers.
    if ('isOver' in sent) return HTMLFormElement.prototype.submit.call(form);
    show(sent.problems, sent.notice, sent.stamp);
  };

  const refuse = () => {
    const checked = checkAnswers(content, getValues());
    show(checked.ok ? [] : checked.problems, null);
  };

  return (
    <FormView
      state={{ ...state, values: typed }}
      live={{
        register: (name) => register(name),
        onSubmit: (event) => {
          const form = event.currentTarget;
          void handleSubmit(() => send(form), refuse)(event);
        },
        summaryRef: summary,
        isSending,
        LengthCount,
      }}
    />
  );
}

async function post(form: HTMLFormElement): Promise<Sent> {
  // FormData of a page without file fields holds strings only.
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  const response = await fetch(form.action, {
    method: 'POST',
    body,
    headers: { Accept: 'application/json' },
  });
  if (response.status >= 500) throw new Error('The server failed.');
  return (await response.json()) as Sent;
}

const container = document.getElementById(formElementId);
const form = container?.querySelector('form');
const stateText = document.getElementById(stateElementId)?.textContent;
if (container && form && stateText) {
  const made = JSON.parse(stateText) as FormState;
  // The page shows times of the reader's time zone by now.
  const until = container.querySelector('time')?.textContent ?? made.openUntil.words;
  const initial = { ...made, openUntil: { ...made.openUntil, words: until } };
  // Keep what was typed before the script loaded.
  const typed = rawAnswersOf(initial.content.questions, new FormData(form));
  hydrateRoot(container, <LiveForm initial={initial} typed={typed} />);
  // A page from the browser's back-forward cache has been sent already: load a new one.
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) window.location.reload();
  });
}
