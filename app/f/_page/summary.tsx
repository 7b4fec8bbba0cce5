import type { ReactNode, Ref } from 'react';
import { SummaryBox } from '@/app/_page/summary-box';
import { type Translation, translate } from '@/app/_page/translation';

/** What is wrong with the answers, in the language of the page. */
export function Summary({
  translation,
  title,
  boxRef,
  children,
}: {
  translation: Translation;
  title: 'problemTitle' | 'noticeTitle';
  boxRef?: Ref<HTMLDivElement>;
  children: ReactNode;
}): ReactNode {
  return (
    <SummaryBox
      title={translate(translation, title)}
      titleAttributes={translation.attributes}
      boxRef={boxRef}
    >
      {children}
    </SummaryBox>
  );
}
