import { Icon } from "../../components/icon.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { Permitted } from "../../components/notice.tsx";

/** A link to the import, for people who may import. */
export const ImportButton = () => (
  <Permitted to="reconciliation:write">
    <ButtonLink to="/reconciliation/runs/new" leftSection={<Icon name="plus" size={16} />}>
      Import a statement
    </ButtonLink>
  </Permitted>
);
