import type { ReactNode } from 'react';
import { FieldGroup, Option } from '@/app/_page/field';
import type { ContentFacts } from '@/lib/operator/moderation/content';
import { takeDownReasons, takeDownReasonWords } from '@/lib/operator/moderation/take-down';
import { restorableDays } from '@/lib/services/abuse-reports';
import type { FormContent } from '@/lib/services/forms/form';
import { FormToken } from './document';
import { NoteField } from './note-field';
import { CallLink, Empty, Facts, Id, Moment, Tag, type Tone } from './parts';
import { errorsOf, type Problem, Summary } from './summary';

/** Reasons may need more words than notes about money. */
const noteLengthMax = 2_000;

interface ContentPageProps {
  readonly facts: ContentFacts;
  readonly formToken: string;
  readonly path: string;
  readonly problems?: readonly Problem[];
  /** What was filled in, to be corrected. */
  readonly values?: Readonly<Record<string, string>>;
  /** Whether the person who is signed in may look at the content and decide about it. */
  readonly canModerate: boolean;
  readonly content?: FormContent | null;
  readonly isShown?: boolean;
}

const statuses: Readonly<Record<ContentFacts['status'], readonly [words: string, tone: Tone]>> = {
  public: ['public', 'plain'],
  taken_down: ['taken down', 'wrong'],
  erased: ['taken down and erased', 'wrong'],
  over: ['over', 'plain'],
};

/** A form or a file, without its content unless it was requested. */
export function ContentPage({
  facts,
  problems = [],
  values = {},
  canModerate,
  isShown = false,
  ...rest
}: ContentPageProps): ReactNode {
  const { target, url, status, takenDownAt, publicUntil, responses, file, paidCallId } = facts;
  const [words, tone] = statuses[status];
  return (
    <>
      <h1>{target.kind === 'form' ? 'Form' : 'File'}</h1>
      <Summary title="Nothing was changed" problems={problems} />
      <Facts
        entries={[
          ['ID', <Id key="id" value={target.id} />],
          [
            'Status',
            <Tag key="status" tone={tone}>
              {words}
            </Tag>,
          ],
          ['Address', <Id key="url" value={url} />],
          ['Bought by', <CallLink key="call" id={paidCallId} />],
          ['Public until', <Moment key="until" at={publicUntil} />],
          ...(takenDownAt === null ? [] : [['Taken down', <Moment key="down" at={takenDownAt} />] as const]),
          ...(responses === null ? [] : [['Responses', responses] as const]),
          ...(file === null
            ? []
            : [['File', `${file.mime}, ${file.sizeBytes.toLocaleString('en-US')} bytes`] as const]),
        ]}
      />
      {canModerate ? (
        <Moderation facts={facts} isShown={isShown} errors={errorsOf(problems)} values={values} {...rest} />
      ) : null}
    </>
  );
}

type ModerationProps = Pick<ContentPageProps, 'facts' | 'formToken' | 'path' | 'content'> & {
  readonly isShown: boolean;
} & Filled;

/** What was filled in, and what is wrong with it. */
interface Filled {
  readonly errors: ReturnType<typeof errorsOf>;
  readonly values: Readonly<Record<string, string>>;
}

/** The content on request, and what can be decided about it. */
function Moderation({
  facts: { target, status },
  isShown,
  content,
  errors,
  values,
  ...post
}: ModerationProps): ReactNode {
  return (
    <>
      {isShown ? <FormText content={content ?? null} /> : <ShowContent kind={target.kind} {...post} />}
      {status === 'public' ? <TakeDown {...post} errors={errors} values={values} /> : null}
      {status === 'taken_down' ? (
        <>
          <Restore {...post} error={errors.note} />
          <Erase {...post} error={errors['erase-note']} />
        </>
      ) : null}
    </>
  );
}

type Post = Pick<ContentPageProps, 'formToken' | 'path'>;

function ShowContent({ kind, formToken, path }: Post & { kind: 'form' | 'upload' }): ReactNode {
  return (
    <form method="post" action={path} className="actions">
      <FormToken value={formToken} />
      <input type="hidden" name="step" value="show" />
      <button type="submit" className="secondary">
        {kind === 'form' ? 'Show its content' : 'Save the file'}
      </button>
      <span>
        {kind === 'form'
          ? 'For moderation only. The log records that you looked.'
          : 'For moderation only; it may be hostile. The log records that you looked.'}
      </span>
    </form>
  );
}

/** What the form's author wrote, as plain text. */
function FormText({ content }: { content: FormContent | null }): ReactNode {
  if (!content) return <Empty>Its content is erased.</Empty>;
  return (
    <section aria-labelledby="content-title">
      <h2 id="content-title">Its content, as its author wrote it</h2>
      <Facts
        entries={[
          ['Title', content.title],
          ...(content.description === undefined ? [] : [['Description', content.description] as const]),
          ['Questions', String(content.questions.length)],
        ]}
      />
      <ol>
        {content.questions.map((question) => (
          <li key={question.id}>
            {question.label} <span className="quiet">({question.type})</span>
            {question.help === undefined ? null : <span className="note">{question.help}</span>}
            {question.options ? <span className="note">{question.options.join(' · ')}</span> : null}
          </li>
        ))}
      </ol>
    </section>
  );
}

function TakeDown({ formToken, path, errors, values }: Post & Filled): ReactNode {
  return (
    <form method="post" action={path} className="narrow">
      <h2>Take down</h2>
      <p>
        Hidden from everyone at once, and reports about it are closed. It can be restored for {restorableDays}{' '}
        days.
      </p>
      <FormToken value={formToken} />
      <input type="hidden" name="step" value="take-down" />
      <FieldGroup id="reason" label="Reason" error={errors.reason}>
        {takeDownReasons.map((reason, index) => (
          <Option
            key={reason}
            id={index === 0 ? 'reason' : `reason-${reason}`}
            name="reason"
            value={reason}
            defaultChecked={values.reason === reason}
          >
            {takeDownReasonWords[reason]}
          </Option>
        ))}
      </FieldGroup>
      <NoteField
        maxLength={noteLengthMax}
        hint="What you saw, or who asked for it."
        error={errors.note}
        value={values.note}
      />
      <Option type="checkbox" id="erase" name="erase" value="yes" defaultChecked={values.erase === 'yes'}>
        Erase it now, so that nobody can restore it
      </Option>
      <p>
        <button type="submit" className="danger">
          Take down
        </button>
      </p>
    </form>
  );
}

function Restore({ formToken, path, error }: Post & { error: string | undefined }): ReactNode {
  return (
    <form method="post" action={path} className="narrow">
      <h2>Restore it</h2>
      <FormToken value={formToken} />
      <input type="hidden" name="step" value="restore" />
      <NoteField maxLength={noteLengthMax} hint="Why it is restored." error={error} />
      <button type="submit">Restore it</button>
    </form>
  );
}

function Erase({ formToken, path, error }: Post & { error: string | undefined }): ReactNode {
  return (
    <form method="post" action={path} className="narrow">
      <h2>Erase it</h2>
      <p>
        It is erased {restorableDays} days after it was taken down. If it must not be kept that long, erase it
        now. This cannot be undone.
      </p>
      <FormToken value={formToken} />
      <input type="hidden" name="step" value="erase" />
      <NoteField
        maxLength={noteLengthMax}
        id="erase-note"
        hint="Optional: why it may not be kept."
        error={error}
      />
      <button type="submit" className="danger">
        Erase it now
      </button>
    </form>
  );
}
