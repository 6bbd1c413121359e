-- The snapshot counts each user's secrets, so that a login without any asks nothing.
CREATE TRIGGER tell_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON pintail.secrets
    EXECUTE FUNCTION pintail.tell_changed();
